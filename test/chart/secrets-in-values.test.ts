import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { render, withValues } from './chart.ts';

/* Where somebody may put a secret in place of a name, a path, a certificate or a URL: Helm must not repeat it. */

const secret = 'c2VjcmV0';
const pem = `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`;
const base64 = Buffer.from(pem).toString('base64');
const token = `hvs.${secret.repeat(3)}`;
const olderToken = `s.${secret.repeat(3)}`;
const hexadecimal = '5ec2e7'.repeat(10);

const names = [
  'hook.tls.secretName',
  'hook.token.secretName',
  'openbao.tokenSecret.name',
  'openbao.ca.configMap.name',
  'postgres.ca.configMap.name',
  'imagePullSecrets[0].name',
  'serviceAccount.name',
  'secretStore.name',
];
const keys = ['openbao.tokenSecret.key', 'openbao.ca.configMap.key', 'postgres.ca.configMap.key'];
const bundles = ['postgres.ca.bundle', 'hook.tls.caBundle', 'openbao.ca.bundle'];
const mounts = ['openbao.mount', 'openbao.authMount', 'openbao.namespace'];
const urls = [
  'openbao.address',
  'openbao.externalAddress',
  'kubernetesApi.url',
  'metacontroller.hookUrl',
  'metrics.prometheusRule.runbookBaseUrl',
];
const kinds: readonly (readonly [values: readonly string[], said: RegExp])[] = [
  [names, /the name of an object, not what is in it/],
  [keys, /the key of an entry, not what is in it/],
  [bundles, /the PEM text of certificates: no private key, no token, no base64/],
  [mounts, /the name of a mount or namespace/],
  [['openbao.role'], /the name of a role/],
  [['openbao.tokenFile'], /the path of a file, not what is in it/],
  [urls, /a URL without user/],
];

const failureShape = z.object({ stderr: z.string() });

async function refusedUnseen(value: string, text: string, said: RegExp): Promise<void> {
  await assert.rejects(
    render(withValues('minimal', '--set-string', `${value}=${text}`)),
    (error: unknown) => {
      const { stderr } = failureShape.parse(error);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /c2VjcmV0|LS0t|5ec2e7|Wk1seVpY/);
      return true;
    },
  );
}

for (const [values, said] of kinds)
  for (const value of values)
    test(`a secret as ${value} is refused and not shown`, async () => {
      for (const text of [pem, base64, token, ` ${token}`, olderToken, hexadecimal])
        await refusedUnseen(value, text, said);
    });

for (const value of urls)
  test(`a password in ${value} is refused and not shown`, async () => {
    for (const url of [
      `https://me:${secret}@host`,
      `me:${secret}@host:8200`,
      `https://host/hvs.${secret.repeat(3)}`,
    ])
      await refusedUnseen(value, url, /a URL without user/);
  });

test('what only begins like a token of OpenBao is taken', async () => {
  for (const name of ['s.hook-token', 's.production-openbao-hook-tokens'])
    assert.ok((await render(withValues('token', '--set', `hook.token.secretName=${name}`))).length > 0);
});

test('the page with the alerts may have a query and a person in its path', async () => {
  const url = 'https://git.example.com/@platform/operations.md?ref=main';
  const args = withValues('minimal', '--set', `metrics.prometheusRule.runbookBaseUrl=${url}`);
  assert.ok((await render(args)).length > 0);
});
