import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { inspect } from 'node:util';

import { environmentShape } from '../../src/config/environment-shape.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { defaultLimits } from '../../src/postgres/limits.ts';
import { Secret } from '../../src/secret.ts';
import { faultsOf, hookToken, minimal, otherHookToken, read, withToken } from './example.ts';
import { issueFiles } from './issued-files.ts';

let ca: string;
before(async () => {
  ({ ca } = await issueFiles());
});

test('the required variables are enough, and the rest has its documented defaults', () => {
  assert.deepEqual(read(), {
    logLevel: 'info',
    installation: 'prod',
    operatorNamespace: 'pgtenancy',
    hook: {
      host: '0.0.0.0',
      port: 8080,
      tls: { certFile: '/tls/tls.crt', keyFile: '/tls/tls.key' },
      tokens: { file: '/hook/token' },
    },
    metrics: { host: '0.0.0.0', port: 9090 },
    kubernetes: {
      url: 'https://kubernetes.default.svc',
      caFile: '/api/ca.crt',
      tokenFile: '/api/token',
    },
    openbao: {
      address: minimal.OPENBAO_ADDRESS,
      externalAddress: minimal.OPENBAO_ADDRESS,
      mount: 'pg-tenants',
      namespace: undefined,
      caFile: '/openbao/ca.crt',
      auth: {
        kind: 'kubernetes',
        role: 'postgresql-tenant-operator',
        mount: 'kubernetes',
        tokenFile: '/var/run/secrets/openbao/token',
      },
    },
    secretStore: { kind: 'ClusterSecretStore', name: 'tenants' },
    postgresCa: undefined,
    deadlineMs: 12_000,
    drainMs: 5_000,
    checkIntervalSeconds: { min: 600, max: 3600 },
    resyncSeconds: 300,
  });
});

test('every variable is taken over', () => {
  const config = read({
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'debug',
    KUBERNETES_URL: 'https://rancher.example.com/k8s/clusters/c-1',
    OPENBAO_ADDRESS: 'HTTPS://OpenBao:8200/',
    OPENBAO_EXTERNAL_ADDRESS: 'https://bao.example.com/',
    OPENBAO_MOUNT: 'kv/pg_tenants',
    OPENBAO_NAMESPACE: 'team',
    OPENBAO_TRUST_SYSTEM_ROOTS: 'true',
    OPENBAO_CA_FILE: undefined,
    OPENBAO_AUTH_MOUNT: 'kubernetes/prod',
    OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: '/api/token',
    SECRET_STORE_KIND: 'SecretStore',
    SECRET_STORE_NAME: 'team.store',
    POSTGRES_CA_FILE: '/openbao/ca.crt',
    HOOK_TIMEOUT_SECONDS: '20',
    DRAIN_SECONDS: '0',
    CHECK_INTERVAL_SECONDS_MIN: '5',
    CHECK_INTERVAL_SECONDS_MAX: '5',
    RESYNC_SECONDS: '60',
  });
  assert.partialDeepStrictEqual(config, {
    logLevel: 'debug',
    hook: { host: '127.0.0.1', port: 0 },
    metrics: { host: '127.0.0.1', port: 0 },
    kubernetes: { url: 'https://rancher.example.com/k8s/clusters/c-1' },
    openbao: {
      address: 'https://openbao:8200',
      externalAddress: 'https://bao.example.com',
      mount: 'kv/pg_tenants',
      namespace: 'team',
      auth: { mount: 'kubernetes/prod', tokenFile: '/api/token' },
    },
    secretStore: { kind: 'SecretStore', name: 'team.store' },
    postgresCa: `${ca}\n${ca}`,
    deadlineMs: 16_000,
    drainMs: 0,
    checkIntervalSeconds: { min: 5, max: 5 },
    resyncSeconds: 60,
  });
  assert.equal(config.openbao.caFile, undefined);
});

test('the hook may do without TLS and without tokens, when that is said', () => {
  const plain = read({
    HOOK_TLS: 'off',
    HOOK_TLS_CERT_FILE: undefined,
    HOOK_TLS_KEY_FILE: undefined,
    HOOK_AUTHENTICATION: 'none',
    HOOK_TOKEN_FILE: undefined,
  });
  assert.deepEqual([plain.hook.tls, plain.hook.tokens], [undefined, undefined]);
});

test('a token may be given directly, the hook takes a second one, and both may come from files', () => {
  const given = read({
    ...withToken,
    HOOK_TOKEN_FILE: undefined,
    HOOK_TOKEN: `${hookToken}\n${otherHookToken}\n`,
    OPENBAO_TOKEN: 'canary-openbao-token',
  });
  const { tokens } = given.hook;
  assert.ok(tokens !== undefined && 'values' in tokens);
  assert.deepEqual(
    tokens.values.map((token) => token.reveal()),
    [hookToken, otherHookToken],
  );
  const { auth } = given.openbao;
  assert.ok(auth.kind === 'token' && auth.value !== undefined);
  assert.equal(auth.value.reveal(), 'canary-openbao-token');

  const fromFiles = read({
    ...withToken,
    HOOK_TOKEN_FILE: '/hook/two-tokens',
    OPENBAO_TOKEN_FILE: '/openbao/token',
  });
  assert.deepEqual(fromFiles.hook.tokens, { file: '/hook/two-tokens' });
  assert.deepEqual(fromFiles.openbao.auth, { kind: 'token', file: '/openbao/token' });
});

test('what is secret is seen neither in JSON nor in an inspection, however deep', () => {
  const config = read({
    ...withToken,
    HOOK_TOKEN_FILE: undefined,
    HOOK_TOKEN: hookToken,
    OPENBAO_TOKEN: 'canary-openbao-token',
  });
  for (const text of [JSON.stringify(config), inspect(config, { depth: null, showHidden: true })]) {
    assert.match(text, /\[secret\]/);
    assert.doesNotMatch(text, /canary/);
  }
});

test('every variable that is named a token is a Secret or the path of a file once it is read', () => {
  const shape = environmentShape(() => hookToken);
  const names = Object.keys(shape.shape).filter((name) => name.endsWith('_TOKEN'));
  assert.deepEqual(names, ['HOOK_TOKEN', 'OPENBAO_TOKEN']);
  for (const name of names) assert.ok(`${name}_FILE` in shape.shape);
});

test('it is frozen, down to the last value', () => {
  const config = read({ HOOK_TOKEN_FILE: undefined, HOOK_TOKEN: hookToken });
  const below = (value: unknown): object[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(below)] : [];
  const objects = below(config);
  assert.ok(objects.some((object) => object instanceof Secret));
  for (const object of objects) assert.ok(Object.isFrozen(object));
  assert.throws(() => ((config.hook as { port: number }).port = 1), TypeError);
});

test('it is read once: the environment may change afterwards', () => {
  const env: Record<string, string> = { ...minimal };
  const { installation } = read(env);
  env['INSTALLATION'] = 'other';
  assert.equal(installation, 'prod');
});

test('an empty variable counts as unset', () => {
  const { hook, openbao } = read({ PORT: '', OPENBAO_NAMESPACE: '' });
  assert.deepEqual([hook.port, openbao.namespace], [8080, undefined]);
  assert.deepEqual(faultsOf({ INSTALLATION: '' }), ['INSTALLATION is required']);
});

test('an environment without anything is told everything that is required, in one message', () => {
  assert.throws(
    () => readConfig({}, () => assert.fail('nothing can be read')),
    (error: Error) => {
      const named = error.message
        .split('\n')
        .slice(1)
        .map((line) => line.split(' ')[1]);
      assert.deepEqual(named.sort(), [
        ...['HOOK_TLS_CERT_FILE', 'HOOK_TLS_KEY_FILE', 'HOOK_TOKEN', 'INSTALLATION'],
        ...['KUBERNETES_CA_FILE', 'KUBERNETES_TOKEN_FILE', 'OPENBAO_ADDRESS', 'OPENBAO_MOUNT'],
        ...['OPENBAO_ROLE', 'OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE', 'OPERATOR_NAMESPACE', 'SECRET_STORE_NAME'],
      ]);
      return true;
    },
  );
});

test('the shortest hook timeout leaves a request more time than any wait for PostgreSQL takes', () => {
  const [fault] = faultsOf({ HOOK_TIMEOUT_SECONDS: '1' });
  const shortest = /from (\d+) to 300: a request is given up at 80 %/.exec(fault ?? '')?.[1];
  const { deadlineMs } = read({ HOOK_TIMEOUT_SECONDS: shortest });
  const { decisionMs, longWaitMs, slotMs, connectMs, lockMs } = defaultLimits;
  for (const wait of [decisionMs, longWaitMs, slotMs, connectMs, lockMs]) assert.ok(wait < deadlineMs);
});
