import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';

import { z } from 'zod';

import { only, release, render, type Rendered, valuesOf, withValues } from './chart.ts';
import { webhooksIn } from './controllers.ts';
import { generatedTls } from './generated-tls.ts';

/* The certificate of the hook: its names, its CA, and the same CA wherever somebody must trust it. */

const service = `${release.fullname}.${release.namespace}.svc`;

const bundlesIn = (objects: readonly Rendered[]) =>
  webhooksIn(objects).map(({ caBundle }) => caBundle?.inline.trim());

test('a generated certificate is good for the Service and verifies with the CA of every webhook', async () => {
  const objects = await render(withValues('minimal'));
  const { ca, cert, key } = generatedTls(objects);
  const [certificate, issuer] = [new X509Certificate(cert), new X509Certificate(ca)];
  assert.ok(certificate.verify(issuer.publicKey));
  assert.ok(certificate.checkIssued(issuer));
  assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
  assert.ok(issuer.ca && !certificate.ca);
  for (const name of [service, service.replace('.svc', ''), `${service}.cluster.local`])
    assert.equal(certificate.checkHost(name), name);
  assert.equal(certificate.checkHost('postgresql-tenant-operator.other.svc'), undefined);
  assert.deepEqual(bundlesIn(objects), Array(5).fill(ca.trim()));
});

test('names and addresses of the values, and the host of hookUrl, are in it', async () => {
  const hookUrl = ['--set', 'metacontroller.hookUrl=https://hook.other.example:8443'];
  const named = new X509Certificate(generatedTls(await render(withValues('full', ...hookUrl))).cert);
  for (const name of [service, 'hook.example.com', 'hook.other.example'])
    assert.equal(named.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1']) assert.equal(named.checkIP(address), address);
  const byAddress = ['--set', 'metacontroller.hookUrl=https://192.0.2.7:8443'];
  const addressed = new X509Certificate(generatedTls(await render(withValues('minimal', ...byAddress))).cert);
  assert.equal(addressed.checkIP('192.0.2.7'), '192.0.2.7');
});

test('it lives as long as the values say, in a CA of 20 years', async () => {
  const { ca, cert, renewAfter } = generatedTls(await render(withValues('full')));
  const days = (date: string) => Math.round((Date.parse(date) - Date.now()) / 86_400_000);
  assert.equal(days(new X509Certificate(cert).validTo), 365);
  assert.equal(days(new X509Certificate(ca).validTo), 7300);
  assert.ok(Math.abs(days(renewAfter) - 243) <= 1);
});

test('the key of the CA is mounted nowhere', async () => {
  const objects = await render(withValues('minimal'));
  const text = JSON.stringify(only(objects, 'Deployment'));
  assert.ok(text.includes(`${release.fullname}-tls`));
  assert.ok(!text.includes(`${release.fullname}-ca`));
});

const certificateShape = z.object({
  spec: z.object({
    secretName: z.string(),
    dnsNames: z.array(z.string()),
    ipAddresses: z.array(z.string()).optional(),
    issuerRef: z.record(z.string(), z.string()),
  }),
});

test('cert-manager: an Issuer of the chart, with a CA that keeps its key, or an existing one', async () => {
  const own = await render(withValues('cert-manager'));
  const { spec } = certificateShape.parse(only(own, 'Certificate', release.fullname));
  assert.equal(only(own, 'Issuer', spec.issuerRef['name']).metadata.namespace, release.namespace);
  assert.equal(spec.dnsNames[0], service);
  const existing = await render(withValues('cert-manager-issuer'));
  const issued = certificateShape.parse(only(existing, 'Certificate')).spec;
  assert.deepEqual(issued.issuerRef, { group: 'cert-manager.io', kind: 'ClusterIssuer', name: 'platform' });
  assert.deepEqual(issued.ipAddresses, ['192.0.2.10']);
  assert.ok(JSON.stringify(only(existing, 'Deployment')).includes(`"secretName":"${issued.secretName}"`));
});

test('a given CA stands in every webhook, and no certificate is made beside it', async () => {
  for (const name of ['secret-tls', 'cert-manager-issuer']) {
    const objects = await render(withValues(name));
    const values = z
      .object({ hook: z.object({ tls: z.object({ caBundle: z.string() }) }) })
      .parse(await valuesOf(name));
    assert.deepEqual(bundlesIn(objects), Array(5).fill(values.hook.tls.caBundle.trim()));
    assert.ok(!objects.some(({ kind }) => kind === 'Secret'));
  }
});

test("a bearer token is nobody's but that of an existing Secret: no rendering makes another one", async () => {
  const objects = await render(withValues('token'));
  const made = objects.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
  assert.deepEqual(made.sort(), [`${release.fullname}-ca`, `${release.fullname}-tls`]);
  assert.ok(JSON.stringify(only(objects, 'Deployment')).includes('"secretName":"hook-token"'));
});

test('what stands in the values as text is text, also where YAML would read something else', async () => {
  const issuer = 'hook.tls.certManager.issuerRef';
  const objects = await render([
    ...withValues('cert-manager-issuer', '--set-string'),
    `${issuer}.name=1,${issuer}.kind=true,${issuer}.group=2`,
  ]);
  const { issuerRef } = only(objects, 'Certificate')['spec'] as { readonly issuerRef: unknown };
  assert.deepEqual(issuerRef, { group: '2', kind: 'true', name: '1' });
});
