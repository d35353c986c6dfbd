import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { chartFolder, refusalOf, render, withValues } from './chart.ts';

/* Where somebody may put a secret in place of a name, a path, a certificate or a URL: Helm must not repeat it. */

const schema: unknown = JSON.parse(await readFile(`${chartFolder}/values.schema.json`, 'utf8'));

/** Where a pattern or a format is asserted: Helm shows the text that does not fit. Under `if` it does not. */
function* shownIn(part: unknown, path: string): Generator<string> {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, below] of Object.entries(part)) {
    if (['pattern', 'format'].includes(key) || below === '#/definitions/secret') yield path;
    else if (!['if', 'propertyNames'].includes(key)) yield* shownIn(below, `${path}/${key}`);
  }
}

test('no text that the schema refuses is shown', () => {
  assert.deepEqual([...shownIn(schema, '')], ['/definitions/secret']);
});

const secret = 'c2VjcmV0';
const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`;
const base64 = Buffer.from(pem).toString('base64');
const token = `hvs.${secret.repeat(3)}`;
const olderToken = `s.${secret.repeat(3)}`;
const hexadecimal = '5ec2e7'.repeat(10);
const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJ${secret}.${secret}`;
const all = [
  ...[
    pem,
    base64,
    token,
    ` ${token}`,
    `"${token}"`,
    olderToken,
    hexadecimal,
    `${hexadecimal}\n${hexadecimal}`,
  ],
  ...[jwt, `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${secret}`, `postgres://me:${secret}@db/x`],
];

const names = [
  'hook.tls.secretName',
  'hook.token.secretName',
  'openbao.tokenSecret.name',
  'openbao.ca.configMap.name',
  'postgres.ca.configMap.name',
  'imagePullSecrets[0].name',
  'serviceAccount.name',
  'hook.tls.certManager.issuerRef.name',
  'secretStore.name',
];
const keys = ['openbao.tokenSecret.key', 'openbao.ca.configMap.key', 'postgres.ca.configMap.key'];
const bundles = ['postgres.ca.bundle', 'hook.tls.caBundle', 'openbao.ca.bundle'];
const mounts = ['openbao.mount', 'openbao.authMount', 'openbao.namespace'];
const origins = ['openbao.address', 'openbao.externalAddress', 'kubernetesApi.url', 'metacontroller.hookUrl'];
const kinds: readonly (readonly [values: readonly string[], said: RegExp])[] = [
  [names, /the name of an object, not what is in it/],
  [keys, /the key of an entry, not what is in it/],
  [bundles, /the PEM text of certificates, and of nothing else/],
  [mounts, /the path of a mount or namespace/],
  [['openbao.role'], /the name of a role/],
  [['image.repository'], /where the image is, without tag/],
  [['openbao.tokenFile'], /the path of a file, not what is in it/],
  [origins, /URL of scheme, host/],
  [['metrics.prometheusRule.runbookBaseUrl'], /a URL without user, password and fragment/],
];

async function refusedUnseen(value: string, text: string, said: RegExp): Promise<void> {
  const set = `${value}=${text.replaceAll(',', String.raw`\,`)}`;
  const complaint = await refusalOf(withValues('minimal', '--set-string', set));
  assert.match(complaint, said);
  assert.doesNotMatch(complaint, /c2VjcmV0|LS0t|VmpjbVYw|5ec2e7/);
}

for (const [values, said] of kinds)
  for (const [index, value] of values.entries())
    test(`a secret as ${value} is refused and not shown`, async () => {
      // What one of a kind refuses the others do, which have the same definition.
      for (const text of index === 0 ? all : [pem, token]) await refusedUnseen(value, text, said);
    });

test('a token as the audience of one is refused and not shown', async () => {
  for (const text of [token, jwt]) await refusedUnseen('openbao.audience', text, /an audience, not a token/);
});

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
test('what is beside a certificate, and no certificate, is refused and not shown', async () => {
  const lostDash = `----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`;
  const half = `-----BEGIN CERTIFICATE-----\n${secret}\n`;
  for (const text of [pem, lostDash, `client-key-data: ${base64}`, token, half, `${half}${certificate}`])
    await refusedUnseen('postgres.ca.bundle', `${certificate}${text}`, /the PEM text of certificates/);
});

for (const value of [...origins, 'metrics.prometheusRule.runbookBaseUrl'])
  test(`a password in ${value} is refused and not shown`, async () => {
    for (const url of [`https://me:${secret}@host`, `me:${secret}@host:8200`, `https:///me:${secret}@host/x`])
      await refusedUnseen(value, url, /URL/);
  });

const allowed = {
  'openbao.role': ['surveyJobCollector', 'keyJenkinsDeployer.v1'],
  'hook.token.secretName': [
    's.hook-token',
    's.production-openbao-hook-tokens',
    'r.productionopenbaocertificates',
  ],
  'openbao.address': [
    'https://s.infrastructureplatformteam.example.com:8200',
    'https://openbao.svc.cluster.local.:8200',
    'https://[2001:db8::1]:8200/',
  ],
  'kubernetesApi.url': [
    'https://s.kubernetesproductioncluster.example.com',
    'https://rancher/k8s/clusters/root:c-m-1',
  ],
  'metrics.prometheusRule.runbookBaseUrl': [
    'https://git.example.com/@platform/operations.md?ref=main',
    'https://wiki.example.com?space=a@b',
  ],
};

for (const [value, texts] of Object.entries(allowed))
  test(`what only looks like a secret is taken as ${value}`, async () => {
    for (const text of texts)
      assert.ok((await render(withValues('token', '--set', `${value}=${text}`))).length > 0);
  });
