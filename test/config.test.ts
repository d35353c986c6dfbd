import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readConfig } from '../src/config.ts';
import { defaultLimits } from '../src/postgres/limits.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const files: Record<string, string> = { '/ca.pem': pem, '/not-pem': 'hello' };
const readFile = (path: string): string => {
  const text = files[path];
  if (text === undefined) throw new Error(`ENOENT ${path}`);
  return text;
};

const minimal = {
  INSTALLATION: 'prod',
  OPERATOR_NAMESPACE: 'pgtenancy',
  OPENBAO_ADDRESS: 'https://openbao-active.openbao.svc:8200',
  OPENBAO_MOUNT: 'pg-tenants',
  OPENBAO_TOKEN_FILE: '/token',
  SECRET_STORE_NAME: 'tenants',
};

const faultsOf = (env: Record<string, string | undefined>): string[] => {
  try {
    readConfig({ ...minimal, ...env }, readFile);
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.split('\n').slice(1);
  }
  return [];
};

test('the required variables are enough, and the rest has its documented defaults', () => {
  assert.deepEqual(readConfig(minimal, readFile), {
    host: '0.0.0.0',
    port: 8080,
    logLevel: 'info',
    installation: 'prod',
    operatorNamespace: 'pgtenancy',
    kubernetes: { url: 'https://kubernetes.default.svc', caFile: undefined, tokenFile: undefined },
    openbao: {
      address: minimal.OPENBAO_ADDRESS,
      externalAddress: minimal.OPENBAO_ADDRESS,
      mount: 'pg-tenants',
      namespace: undefined,
      ca: undefined,
      tokenFile: '/token',
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
  const config = readConfig(
    {
      ...minimal,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'debug',
      KUBERNETES_URL: 'http://127.0.0.1:8001',
      KUBERNETES_CA_FILE: '/k-ca',
      KUBERNETES_TOKEN_FILE: '/k-token',
      OPENBAO_EXTERNAL_ADDRESS: 'https://bao.example.com',
      OPENBAO_MOUNT: 'kv/pg_tenants',
      OPENBAO_NAMESPACE: 'team',
      OPENBAO_CA_FILE: '/ca.pem',
      SECRET_STORE_KIND: 'SecretStore',
      POSTGRES_CA_FILE: '/ca.pem',
      HOOK_TIMEOUT_SECONDS: '20',
      DRAIN_SECONDS: '0',
      CHECK_INTERVAL_SECONDS_MIN: '5',
      CHECK_INTERVAL_SECONDS_MAX: '5',
      RESYNC_SECONDS: '60',
    },
    readFile,
  );
  assert.deepEqual(config, {
    host: '127.0.0.1',
    port: 0,
    logLevel: 'debug',
    installation: 'prod',
    operatorNamespace: 'pgtenancy',
    kubernetes: { url: 'http://127.0.0.1:8001', caFile: '/k-ca', tokenFile: '/k-token' },
    openbao: {
      address: minimal.OPENBAO_ADDRESS,
      externalAddress: 'https://bao.example.com',
      mount: 'kv/pg_tenants',
      namespace: 'team',
      ca: pem,
      tokenFile: '/token',
    },
    secretStore: { kind: 'SecretStore', name: 'tenants' },
    postgresCa: pem,
    deadlineMs: 16_000,
    drainMs: 0,
    checkIntervalSeconds: { min: 5, max: 5 },
    resyncSeconds: 60,
  });
});

test('the shortest hook timeout leaves a request more time than any wait for PostgreSQL takes', () => {
  const [fault] = faultsOf({ HOOK_TIMEOUT_SECONDS: '1' });
  const shortest = /from (\d+) to 300: a request is given up at 80 %/.exec(fault ?? '')?.[1];
  const { deadlineMs } = readConfig({ ...minimal, HOOK_TIMEOUT_SECONDS: shortest }, readFile);
  const { decisionMs, longWaitMs, slotMs, connectMs, lockMs } = defaultLimits;
  for (const wait of [decisionMs, longWaitMs, slotMs, connectMs, lockMs]) assert.ok(wait < deadlineMs);
});

test('it is frozen, down to its groups', () => {
  const config = readConfig(minimal, readFile);
  for (const group of [config, ...Object.values(config)]) assert.ok(Object.isFrozen(group));
});

test('an empty variable counts as unset', () => {
  assert.equal(readConfig({ ...minimal, PORT: '', OPENBAO_NAMESPACE: '' }, readFile).port, 8080);
  assert.deepEqual(faultsOf({ INSTALLATION: '' }), ['- INSTALLATION is required']);
});

test('one message lists every fault, also those between two variables', () => {
  const faults = faultsOf({
    OPERATOR_NAMESPACE: undefined,
    SECRET_STORE_NAME: undefined,
    PORT: '99999',
    LOG_LEVEL: 'loud',
    OPENBAO_MOUNT: 'prod',
    OPENBAO_CA_FILE: '/not-there',
    CHECK_INTERVAL_SECONDS_MIN: '7200',
  });
  const names = faults.map((line) => line.split(' ')[1]).sort();
  assert.deepEqual(names, [
    'CHECK_INTERVAL_SECONDS_MIN',
    'LOG_LEVEL',
    'OPENBAO_CA_FILE',
    'OPENBAO_MOUNT',
    'OPERATOR_NAMESPACE',
    'PORT',
    'SECRET_STORE_NAME',
  ]);
});

for (const [name, value] of [
  ['PORT', '0x50'],
  ['PORT', '-1'],
  ['PORT', '80.5'],
  ['PORT', '65536'],
  ['RESYNC_SECONDS', '0'],
  ['HOOK_TIMEOUT_SECONDS', '1e3'],
  ['HOOK_TIMEOUT_SECONDS', '14'],
  ['DRAIN_SECONDS', '61'],
  ['INSTALLATION', 'Prod'],
  ['INSTALLATION', 'a/b'],
  ['INSTALLATION', 'a..b'],
  ['OPERATOR_NAMESPACE', 'x'.repeat(64)],
  ['OPENBAO_MOUNT', '/kv'],
  ['OPENBAO_MOUNT', 'kv/'],
  ['OPENBAO_MOUNT', 'kv/../sys'],
  ['OPENBAO_MOUNT', 'prod/kv'],
  ['OPENBAO_NAMESPACE', 'a//b'],
  ['OPENBAO_ADDRESS', 'openbao:8200'],
  ['OPENBAO_ADDRESS', 'ftp://openbao'],
  ['OPENBAO_ADDRESS', 'https://root:s3cr3t@openbao'],
  ['OPENBAO_EXTERNAL_ADDRESS', 'https://openbao?token=s3cr3t'],
  ['KUBERNETES_URL', 'not a url'],
  ['OPENBAO_CA_FILE', '/not-pem'],
  ['POSTGRES_CA_FILE', '/not-there'],
  ['SECRET_STORE_KIND', 'Vault'],
] as const) {
  test(`${name}=${value.slice(0, 40)} is refused by name, without repeating the value`, () => {
    const faults = faultsOf({ [name]: value });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, new RegExp(`^- ${name} `));
    assert.doesNotMatch(faults[0]!, /s3cr3t/);
  });
}
