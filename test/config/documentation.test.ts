import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';

import { parse } from 'yaml';

import { readConfig } from '../../src/config/read-config.ts';
import { closingSeconds } from '../../src/config/time-variables.ts';
import { variables } from '../../src/config/variables.ts';
import { type Env, files, hookToken } from './example.ts';
import { issueFiles } from './issued-files.ts';

const text = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

/** Beside those of the other tests: the paths of the example. */
const exampleFiles = (): Record<string, string> => ({
  '/var/run/secrets/hook-tls/tls.crt': files['/tls/tls.crt']!,
  '/var/run/secrets/hook-tls/tls.key': files['/tls/tls.key']!,
  '/var/run/secrets/hook/tokens': hookToken,
  '/var/run/secrets/kubernetes-api/ca.crt': files['/api/ca.crt']!,
  '/var/run/secrets/kubernetes-api/token': 'token',
  '/var/run/secrets/openbao/token': 'token',
  '/var/run/secrets/openbao-agent/token': 'token',
  '/etc/postgresql-tenant-operator/openbao-ca.crt': files['/api/ca.crt']!,
  '/etc/postgresql-tenant-operator/postgres-ca.crt': files['/api/ca.crt']!,
  './token': 'token',
});

const read = (env: Env) =>
  readConfig(env, (path) => exampleFiles()[path] ?? assert.fail(`${path} is in no example`));

interface EnvVariable {
  readonly name: string;
  readonly value?: string;
}

const [deployment, ...changes] = Array.from(text.matchAll(/```yaml\n([^]*?)```/g), ([, yaml]): unknown =>
  parse(yaml!),
);
const [hookTokenChange, openBaoTokenChange] = changes as EnvVariable[][];

const envOf = (list: readonly EnvVariable[]): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value ?? 'from-a-field']));

const example = envOf((deployment as { env: EnvVariable[] }).env);

const without = (...names: readonly string[]): Env =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !names.includes(name)));

before(() => issueFiles());

test('every variable has exactly one row, and no row is for another', () => {
  const rows = Array.from(text.matchAll(/^\| `([A-Z_]+)` /gm), ([, name]) => name!);
  assert.deepEqual(rows.sort(), Object.keys(variables(() => '').shape).sort());
});

/** The column with the default of each row, where it is a value. */
const defaults = Array.from(
  text.matchAll(/^\| `([A-Z_]+)` +\|[^|]*\| `([^`|]*)` +\|/gm),
  ([, name, value]) => [name!, value!] as const,
);

test('every default in a row is the one that is used: to give it changes nothing', () => {
  assert.ok(defaults.length > 10);
  const env = { ...without('HOOK_AUTHENTICATION'), ...envOf(hookTokenChange!) };
  for (const [name, value] of defaults) {
    const given = value === 'OPENBAO_ADDRESS' ? example[value] : value;
    assert.deepEqual(read({ ...env, [name]: given }), read({ ...env, [name]: undefined }), name);
  }
});

test('the grace period of the Pod is said to be longer than the longest end', () => {
  const { deadlineMs, drainMs } = read(without('HOOK_TIMEOUT_SECONDS', 'DRAIN_SECONDS'));
  const longest = (deadlineMs + drainMs) / 1_000 + closingSeconds;
  assert.match(text, new RegExp(`terminationGracePeriodSeconds.*with the defaults, more than ${longest}\\.`));
});

test('the example of a Deployment is valid', () => {
  const config = read(example);
  assert.equal(config.operatorNamespace, 'from-a-field');
  assert.equal(config.hook.tokens, undefined);
});

test('so is the example with a bearer token', () => {
  const { hook } = read({ ...without('HOOK_AUTHENTICATION'), ...envOf(hookTokenChange!) });
  assert.deepEqual(hook.tokens, { file: '/var/run/secrets/hook/tokens' });
});

test('so is the example with a token for OpenBao', () => {
  const others = without('OPENBAO_ROLE', 'OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE');
  const { openbao } = read({ ...others, ...envOf(openBaoTokenChange!) });
  assert.deepEqual(openbao.auth, { kind: 'token', file: '/var/run/secrets/openbao-agent/token' });
});

test('so is the trial on one machine', () => {
  const [, command] = /```sh\n(HOST=[^]*?) npm start/.exec(text) ?? [];
  const env = Object.fromEntries(
    Array.from(command!.matchAll(/([A-Z_]+)=(\S+)/g), ([, name, value]) => [name!, value!]),
  );
  const { hook, openbao } = read(env);
  assert.deepEqual([hook.tls, hook.tokens, openbao.caFile], [undefined, undefined, undefined]);
});
