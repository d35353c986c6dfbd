import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';

import type { RunningPod } from '../../control-plane/pod-runner/run-pod.ts';
import { chartFolder } from '../../chart/chart.ts';
import { installCrds } from '../../control-plane/platform.ts';
import { accessTo } from '../../world/hook-access.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { compositeControllers, secrets, tenants } from '../../world/kubernetes/resources.ts';
import { yamlDocuments } from '../../world/kubernetes/manifests.ts';
import { type Certificate, issueCertificate } from '../../world/servers/pki.ts';
import { release } from '../../control-plane/operator-release.ts';
import { type Cluster, startCluster, startMetacontrollerIn, valuesFor } from './cluster.ts';
import { runOperator } from './operator-pod.ts';
import { createTenant, instanceReady, untilTenantGone, untilTenantReady } from './tenancy.ts';

/* Each way in which the hook gets its certificate, one after the other on one release: Metacontroller calls with all of them. */

let cluster: Cluster;
let pod: RunningPod | undefined;
before(async () => {
  cluster = await startCluster();
  cluster.atEnd(async () => pod?.close());
  await installCrds(cluster.plane, await yamlDocuments(new URL('crds/cert-manager.yaml', import.meta.url)));
  await startMetacontrollerIn(cluster);
});
after(() => cluster.close());

/** What `helm upgrade --install` says, with the hook as these values have it. */
const upgrade = (hook: object, metacontroller: object = {}): Promise<string> =>
  cluster.helm.ok(
    ['upgrade', '--install', release.name, chartFolder, '--namespace', release.namespace],
    valuesFor(cluster, { hook, metacontroller }),
  );

/** Starts the operator as the release has it now, and has a Tenant made and deleted. */
async function requireTenancy(name: string): Promise<RunningPod> {
  await pod?.close();
  const running = await runOperator(cluster);
  pod = running;
  await instanceReady(cluster);
  await createTenant(cluster.kube, name);
  await untilTenantReady(cluster.kube, name);
  await cluster.kube.delete(tenants, name, 'shop');
  await untilTenantGone(cluster.kube, name);
  return running;
}

async function certificate(): Promise<Certificate> {
  const names = { commonName: 'hook', dnsNames: [], ipAddresses: ['127.0.0.1'] };
  return issueCertificate(cluster.servers.openBao, names);
}

const tlsSecret = (name: string, { cert, key }: Certificate, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: release.namespace },
  type: 'kubernetes.io/tls',
  stringData: { 'tls.crt': cert, 'tls.key': key, ...more },
});

async function trustedCa(): Promise<string | undefined> {
  const controller = await cluster.kube.get(compositeControllers, 'postgresqltenant-controller');
  const { hooks } = controller?.spec as { hooks: { sync: { webhook: { caBundle?: { inline: string } } } } };
  return hooks.sync.webhook.caBundle?.inline.trim();
}

test('generated: the chart makes the certificate, and Metacontroller believes it', async () => {
  await upgrade({});
  await requireTenancy('generated');
});

test('a bearer token: Metacontroller shows it, and without it nobody is let in', async () => {
  const token = randomBytes(32).toString('hex');
  await cluster.kube.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hook-token', namespace: release.namespace },
    stringData: { token, accepted: token },
  });
  await upgrade({ token: { enabled: true, secretName: 'hook-token' } });
  const { hook } = await requireTenancy('token');
  assert.ok(!hook.log().includes(token));
  const { post } = accessTo({ cert: '', key: '', ca: (await trustedCa()) ?? '' });
  assert.equal((await post(`${hook.url}/tenants/sync`, '{}')).status, 401);
});

test('secret: a certificate from elsewhere, with its CA in the values', async () => {
  const made = await certificate();
  await cluster.kube.create(secrets, tlsSecret('hook-certificate', made));
  await upgrade({ tls: { source: 'secret', secretName: 'hook-certificate', caBundle: made.ca } });
  await requireTenancy('secret');
  assert.equal(await trustedCa(), made.ca.trim());
});

test('certManager: the CA of the issued Secret comes in with the next helm upgrade', async () => {
  const before = await trustedCa();
  const first = await upgrade({ tls: { source: 'certManager' } });
  assert.match(first, /THE HOOK WILL NOT BE BELIEVED UNTIL YOU RUN `helm upgrade` ONCE MORE/);
  assert.equal(await trustedCa(), before);
  // There is no cert-manager here: this is what it makes of the Certificate.
  const made = await certificate();
  const issued = tlsSecret(`${release.name}-issued-tls`, made, { 'ca.crt': made.ca });
  await cluster.kube.create(secrets, issued);
  const second = await upgrade({ tls: { source: 'certManager' } });
  assert.doesNotMatch(second, /ONCE MORE/);
  await requireTenancy('cert-manager');
  assert.equal(await trustedCa(), made.ca.trim());
});

test('none: plain HTTP for a service mesh', async () => {
  await upgrade({ tls: { source: 'none' } }, { hookUrl: `http://127.0.0.1:${cluster.hookPort}` });
  await requireTenancy('none');
  assert.equal(await trustedCa(), undefined);
});
