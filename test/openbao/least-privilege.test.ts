import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import type { TokenSource } from '../../src/openbao/token-source.ts';
import type { CredentialStore } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import { askOpenBao, type OpenBaoRequest } from '../world/servers/openbao-api.ts';
import { openBaoAudience, writeRole } from '../world/servers/kubernetes-auth.ts';
import { documentedPolicy, writePolicy } from '../world/servers/openbao-policies.ts';
import { exampleCredential, examplePath, keyOf } from './example.ts';
import { operatorAccount, startLoginWorld, type LoginWorld } from './login-world.ts';

/* The documented policies: every right in them is needed, and what is not in them is refused. */
let world: LoginWorld;
let rules: readonly Rule[];

const names = { mount: 'pg-tenants', installation: 'prod' };

before(async () => {
  world = await startLoginWorld();
  rules = rulesOf(await documentedPolicy('openbao-policy', names));
});
after(() => world[Symbol.asyncDispose]());

interface Rule {
  readonly path: string;
  readonly capabilities: readonly string[];
}

const rulesOf = (policy: string): Rule[] =>
  [...policy.matchAll(/^path "([^"]+)" \{ capabilities = \[([^\]]+)\] \}$/gm)].map(([, path, list]) => ({
    path: path ?? '',
    capabilities: (list ?? '').split(',').map((one) => one.trim().replaceAll('"', '')),
  }));

const policyOf = (of: readonly Rule[]): string =>
  of
    .map(({ path, capabilities }) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`)
    .join('\n');

const root = async (method: OpenBaoRequest['method'], path: string, body?: object) =>
  askOpenBao(world.bao.root, { method, path, ...(body === undefined ? {} : { body }) });

interface Operator {
  readonly store: CredentialStore;
  readonly source: TokenSource;
}

/** A client that logs in and gets this policy and no other. */
const operatorWith = async (policy: readonly Rule[]): Promise<Operator> => {
  await writePolicy(world.bao, 'trial', policyOf(policy));
  await writeRole(world.bao, {
    ...{ name: 'trial', serviceAccount: operatorAccount.name, namespace: operatorAccount.namespace },
    policies: ['trial'],
  });
  return world.operator({ role: 'trial' });
};

const isAlive = async (token: Secret): Promise<boolean> =>
  (await root('POST', 'auth/token/lookup', { token: token.reveal() })).status === 200;

let number = 0;

/** What fails of everything that the operator does, in a namespace of records that nobody used. */
const failuresOf = async ({ store, source }: Operator): Promise<string[]> => {
  number += 1;
  const path = examplePath(`battery-${number}`);
  const failures: string[] = [];
  const attempt = async (what: string, act: () => Promise<boolean>): Promise<void> => {
    if (!(await act().catch(() => false))) failures.push(what);
  };
  const kindIs = async (kind: string) => (await store.read(path)).stored.kind === kind;
  const writes = (cas: number) => store.write(path, exampleCredential(), cas).then(() => true);
  await attempt('read what is absent', () => kindIs('absent'));
  await attempt('write a first version', () => writes(0));
  await attempt('read', () => kindIs('live'));
  await attempt('write a new version', () => writes(1));
  await attempt('see that a record would expire', () => seesExpiry(store));
  await attempt('delete', () => store.delete(path).then(() => true));
  await attempt('prove that it is gone', () => store.isGone(path));
  const token = await source.current();
  await source.close();
  await attempt('give the token back', async () => !(await isAlive(token)));
  return failures;
};

/** True: nothing was written to a mount that lets records expire. */
const seesExpiry = async (store: CredentialStore): Promise<boolean> => {
  const path = examplePath(`expiring-${number}`);
  await root('POST', 'pg-tenants/config', { delete_version_after: '1h' });
  await store.write(path, exampleCredential(), 0).catch(() => undefined);
  await root('POST', 'pg-tenants/config', { delete_version_after: '0s' });
  return (await root('GET', `pg-tenants/metadata/${keyOf(path)}`)).status === 404;
};

test('with the documented policy everything works', async () => {
  assert.equal(rules.length, 4);
  assert.deepEqual(await failuresOf(await operatorWith(rules)), []);
});

test('each right of the documented policy is needed: without it something fails', async () => {
  for (const [index, { path, capabilities }] of rules.entries()) {
    for (const capability of capabilities) {
      const left = capabilities.filter((other) => other !== capability);
      const poorer = rules.with(index, { path, capabilities: left.length === 0 ? ['deny'] : left });
      const failures = await failuresOf(await operatorWith(poorer));
      assert.notDeepEqual(failures, [], `nothing needs ${capability} on ${path}`);
    }
  }
});

test('nothing beyond it is allowed: other installations, lists, other mounts, the system', async () => {
  const { source } = await operatorWith(rules);
  const access = { url: world.bao.url, token: (await source.current()).reveal() };
  const key = keyOf(examplePath('x'));
  const foreign = key.replace('prod/', 'prod2/');
  await root('POST', 'sys/mounts/other', { type: 'kv', options: { version: '2' } });
  const requests: (readonly [OpenBaoRequest['method'], string])[] = [
    ...(['GET', 'POST', 'DELETE'] as const).flatMap((method) => [
      [method, `pg-tenants/data/${foreign}`] as const,
      [method, `pg-tenants/metadata/${foreign}`] as const,
      [method, `other/data/${key}`] as const,
      [method, `secret/data/${key}`] as const,
    ]),
    ['GET', 'pg-tenants/metadata/prod/?list=true'],
    ['GET', 'pg-tenants/metadata/?list=true'],
    ['DELETE', `pg-tenants/data/${key}`],
    ['POST', `pg-tenants/metadata/${key}`],
    ['POST', `pg-tenants/delete/${key}`],
    ['POST', `pg-tenants/undelete/${key}`],
    ['POST', `pg-tenants/destroy/${key}`],
    ['POST', 'pg-tenants/config'],
    ['GET', 'sys/mounts'],
    ['GET', 'sys/auth'],
    ['GET', 'sys/policies/acl/trial'],
    ['POST', 'sys/policies/acl/trial'],
    ['POST', 'auth/token/create'],
    ['POST', 'auth/kubernetes/role/trial'],
    ['GET', 'auth/kubernetes/config'],
    ['GET', 'identity/entity/id?list=true'],
  ];
  for (const [method, path] of requests) {
    const body = method === 'GET' ? undefined : { options: { cas: 0 }, data: { a: 'b' } };
    const answer = await askOpenBao(access, { method, path, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, 403, `${method} ${path}`);
  }
});

const readerStatus = async (
  token: Secret,
  method: OpenBaoRequest['method'],
  path: string,
): Promise<number> => {
  const body = method === 'GET' ? {} : { body: { options: { cas: 0 }, data: { a: 'b' } } };
  const access = { url: world.bao.url, token: token.reveal() };
  return (await askOpenBao(access, { method, path, ...body })).status;
};

test("External Secrets' policy reads the installation's records, and does nothing else", async () => {
  const { store } = world.operator();
  const path = examplePath('for-readers');
  await store.write(path, exampleCredential(), 0);
  const token = new Secret(world.kv.readerToken);
  assert.equal(await readerStatus(token, 'GET', `pg-tenants/data/${keyOf(path)}?version=1`), 200);
  assert.equal(await readerStatus(token, 'GET', 'auth/token/lookup-self'), 200);
  for (const [method, below] of [
    ['POST', `data/${keyOf(path)}`],
    ['DELETE', `data/${keyOf(path)}`],
    ['DELETE', `metadata/${keyOf(path)}`],
    ['GET', `metadata/${keyOf(path)}`],
    ['GET', 'metadata/prod/?list=true'],
    ['GET', `data/${keyOf(path).replace('prod/', 'prod2/')}`],
  ] as const)
    assert.equal(await readerStatus(token, method, `pg-tenants/${below}`), 403, `${method} ${below}`);
});

test("with the policy for one identity a namespace, each reads its own namespace's records only", async () => {
  const mounts = await root('GET', 'sys/auth');
  const { accessor } = (mounts.body['data'] as Record<string, { accessor: string }>)['kubernetes/']!;
  const policy = await documentedPolicy('openbao-namespace-reader-policy', { ...names, accessor });
  await writePolicy(world.bao, 'namespace-reader', policy);
  const account = { serviceAccount: operatorAccount.name, namespace: '*' };
  await writeRole(world.bao, { name: 'reader', ...account, policies: ['namespace-reader'] });
  const { store } = world.operator();
  const record = examplePath('own');
  await store.write(record, exampleCredential(), 0).catch(() => undefined);
  const statusFor = async (namespace: string): Promise<number> => {
    const audiences = [openBaoAudience];
    const { status } = await world.kube.requestToken(operatorAccount.name, namespace, { audiences });
    const answer = await askOpenBao(
      { url: world.bao.url },
      {
        ...{ method: 'POST', path: 'auth/kubernetes/login' },
        body: { role: 'reader', jwt: String(status?.['token']) },
      },
    );
    const { client_token: token } = answer.body['auth'] as { client_token: string };
    return readerStatus(new Secret(token), 'GET', `pg-tenants/data/${keyOf(record)}`);
  };
  assert.equal(await statusFor('shop'), 200);
  assert.equal(await statusFor('ops'), 403);
});
