import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import type { Trouble } from '../../src/errors.ts';
import type { KubernetesLoginOptions } from '../../src/openbao/kubernetes-login.ts';
import { troubleOf } from '../trouble-of.ts';
import { serviceAccounts } from '../world/kubernetes/resources.ts';
import { callOpenBao, type OpenBaoRequest } from '../world/servers/openbao-api.ts';
import { writeRole } from '../world/servers/kubernetes-auth.ts';
import { exampleCredential, examplePath, passwordCanary } from './example.ts';
import { operatorAccount, operatorRole, startLoginWorld, type LoginWorld } from './login-world.ts';

/* What a real OpenBao answers when something about the login is not right: each is told, and heals by itself once mended. */
let world: LoginWorld;

before(async () => {
  world = await startLoginWorld();
});
after(() => world[Symbol.asyncDispose]());

const root = (method: OpenBaoRequest['method'], path: string, body?: object) =>
  callOpenBao(world.bao.root, { method, path, ...(body === undefined ? {} : { body }) });

/** The role of the operator as it should be, or with something wrong. */
const role = (wrong: Partial<Parameters<typeof writeRole>[1]> = {}): Promise<void> =>
  writeRole(world.bao, {
    name: operatorRole,
    serviceAccount: operatorAccount.name,
    namespace: operatorAccount.namespace,
    policies: [world.kv.operatorPolicy],
    ...wrong,
  });

interface Fault {
  readonly options?: Partial<KubernetesLoginOptions>;
  readonly spoil?: () => Promise<unknown>;
  readonly mend?: () => Promise<unknown>;
  readonly reason?: Trouble['reason'];
  readonly message: RegExp;
}

/** The write fails for that reason without being sent, shows no secret, is not tried at each call, and heals. */
const toldAndHealed = async ({ options = {}, spoil, mend, reason, message }: Fault): Promise<void> => {
  const jwt = await readFile(world.tokenFile, 'utf8');
  let late = 0;
  const { store } = world.operator({ ...options, clock: () => performance.now() + late });
  const path = examplePath('x');
  try {
    await spoil?.();
    const start = world.proxy.seen.length;
    const trouble = await troubleOf(store.write(path, exampleCredential(), 0), jwt, passwordCanary);
    assert.equal(trouble.reason, reason ?? 'OpenBaoLoginFailed');
    assert.match(trouble.message, message);
    assert.equal(trouble.outcomeUnknown, false);
    const again = await Promise.all(Array.from({ length: 10 }, () => troubleOf(store.read(path))));
    assert.ok(again.every((same) => same.message === trouble.message));
    const sent = world.proxy.seen.slice(start).filter((line) => !line.endsWith('/login'));
    assert.deepEqual(sent, [], 'nothing but a login was tried');
    // A 500 is asked once more at once.
    assert.ok(world.proxy.seen.length - start <= 2, 'the failure was remembered');
  } finally {
    await mend?.();
  }
  late = 60_000;
  if (mend !== undefined) assert.equal((await store.read(path)).stored.kind, 'absent');
};

test('a role that does not exist', async () => {
  await toldAndHealed({
    spoil: () => root('DELETE', `auth/kubernetes/role/${operatorRole}`),
    mend: () => role(),
    message:
      /^cannot log in to OpenBao as role "pgtenancy-operator" at auth mount "kubernetes": the role does not exist; create it, or put OPENBAO_ROLE right$/,
  });
});

test('a role for another service account', async () => {
  await toldAndHealed({
    spoil: () => role({ serviceAccount: 'somebody-else' }),
    mend: () => role(),
    message: /: bound_service_account_names of the role does not name the operator's service account$/,
  });
});

test('a role for another namespace', async () => {
  await toldAndHealed({
    spoil: () => role({ namespace: 'elsewhere' }),
    mend: () => role(),
    message: /: bound_service_account_namespaces of the role does not name the operator's namespace$/,
  });
});

test('a role for another audience than that of the projected token', async () => {
  await toldAndHealed({
    spoil: () => role({ settings: { audience: 'something-else' } }),
    mend: () => role(),
    message: /: the service account token is for another audience; the projected volume and the audience/,
  });
});

for (const [when, seconds, message] of [
  ['long ago', -600, /: the service account token has expired; the kubelet should have replaced it/],
  // OpenBao itself is lenient for some time and learns it from the Kubernetes API.
  [
    'just now',
    -1,
    /: OpenBao denies it: .* or the service account token is not good any more \(it has expired/,
  ],
] as const)
  test(`a service account token that has expired ${when} in its file`, async () => {
    const spec = { audiences: ['openbao'], expirationSeconds: seconds };
    const { status } = await world.kube.requestToken(operatorAccount.name, operatorAccount.namespace, spec);
    await toldAndHealed({
      spoil: () => writeFile(world.tokenFile, String(status?.['token'])),
      mend: () => world.projected.renew(),
      message,
    });
  });

test('a service account that was deleted and made anew: its old token is worth nothing', async () => {
  const { name, namespace } = operatorAccount;
  await toldAndHealed({
    spoil: async () => {
      await world.kube.delete(serviceAccounts, name, namespace);
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
      await world.kube.create(serviceAccounts, account);
    },
    mend: () => world.projected.renew(),
    message: /: OpenBao denies it: .* its service account was deleted or made anew\), or/,
  });
});

test('a Kubernetes API that OpenBao cannot ask', async () => {
  await toldAndHealed({
    spoil: () => Promise.resolve((world.api.faults.down = true)),
    mend: () => Promise.resolve((world.api.faults.down = false)),
    message: /: OpenBao denies it: .*, or OpenBao cannot ask the Kubernetes API; OpenBao's log says which$/,
  });
});

test('a token file that is missing, empty or holds something else', async () => {
  for (const [spoil, message] of [
    [() => rm(world.tokenFile), /^cannot read the file of the service account token for OpenBao \(OPENBAO_/],
    [
      () => writeFile(world.tokenFile, '\n'),
      /^the file of the service account token for OpenBao .* is empty$/,
    ],
    [() => writeFile(world.tokenFile, 'a b'), /^the file of .* holds something that is no token$/],
  ] as const)
    await toldAndHealed({ spoil, mend: () => world.projected.renew(), message });
});

test('an auth mount that does not exist, or is of another type', async () => {
  await root('POST', 'sys/auth/userpass', { type: 'userpass' });
  for (const mount of ['nowhere', 'userpass'])
    await toldAndHealed({
      options: { mount },
      message:
        /" at auth mount "\w+": OpenBao denies it: the auth mount does not exist or is not of type kubern/,
    });
});

test('an auth mount that was not configured', async () => {
  await root('POST', 'sys/auth/bare', { type: 'kubernetes' });
  await writeRole(world.bao, {
    ...{ mount: 'bare', name: operatorRole, policies: [] },
    ...{ serviceAccount: operatorAccount.name, namespace: operatorAccount.namespace },
  });
  await toldAndHealed({
    options: { mount: 'bare' },
    message: /: the auth method is not configured; write auth\/bare\/config$/,
  });
});

test('a namespace that does not exist', async () => {
  await toldAndHealed({
    options: { namespace: 'nowhere' },
    message: /: the OpenBao namespace does not exist; put OPENBAO_NAMESPACE right$/,
  });
});

test('tokens for a number of uses are refused and given back', async () => {
  await toldAndHealed({
    spoil: () => role({ settings: { token_num_uses: 3 } }),
    mend: () => role({ settings: { token_num_uses: 0 } }),
    message:
      /^the OpenBao role "pgtenancy-operator" at auth mount "kubernetes" gives tokens for a number of uses only/,
  });
});
