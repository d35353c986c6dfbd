import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Config } from '../../src/config/config.ts';
import { createLogger } from '../../src/log/logger.ts';
import { Secret } from '../../src/secret.ts';
import { logStart } from '../../src/log/start-log.ts';
import { keptLog } from './kept-log.ts';

const canary = 'CANARY1234567890';

/** Nothing in it is open. */
const closed: Config = {
  logLevel: 'info',
  installation: 'prod',
  operatorNamespace: 'pgtenancy',
  hook: {
    host: '0.0.0.0',
    port: 8080,
    tls: { certFile: `/tls/${canary}`, keyFile: `/tls/${canary}` },
    tokens: { values: [new Secret(canary)] },
  },
  metrics: { host: '0.0.0.0', port: 9090 },
  kubernetes: { url: 'https://kubernetes.default.svc', caFile: `/${canary}`, tokenFile: `/${canary}` },
  openbao: {
    address: 'https://openbao:8200',
    externalAddress: 'https://openbao.example.com',
    mount: 'pg-tenants',
    namespace: undefined,
    caFile: `/${canary}`,
    auth: { kind: 'token', value: new Secret(canary) },
  },
  secretStore: { kind: 'ClusterSecretStore', name: 'tenants' },
  postgresCa: `-----BEGIN CERTIFICATE-----${canary}`,
  deadlineMs: 12_000,
  drainMs: 5_000,
  checkIntervalSeconds: { min: 600, max: 3600 },
  resyncSeconds: 300,
};

const lineOf = (config: Config) => {
  const kept = keptLog();
  logStart(createLogger('info', kept), config, '1.2.3');
  const [line, ...more] = kept.lines();
  assert.ok(line !== undefined);
  assert.deepEqual(more, []);
  return { line, text: kept.text() };
};

test('what is in force is one line without secrets, paths and certificates', () => {
  const { line, text } = lineOf(closed);
  const { time, node, ...rest } = line;
  assert.deepEqual([typeof time, node], ['string', process.version]);
  assert.deepEqual(rest, {
    level: 'info',
    version: '1.2.3',
    installation: 'prod',
    operatorNamespace: 'pgtenancy',
    logLevel: 'info',
    hook: { tls: 'on', authentication: 'token' },
    kubernetes: { url: 'https://kubernetes.default.svc' },
    openbao: {
      address: 'https://openbao:8200',
      externalAddress: 'https://openbao.example.com',
      mount: 'pg-tenants',
      authentication: 'token',
    },
    secretStore: { kind: 'ClusterSecretStore', name: 'tenants' },
    postgresCa: 'given',
    seconds: { deadline: 12, drain: 5, checkIntervalMin: 600, checkIntervalMax: 3600, resync: 300 },
    warnings: [],
    msg: 'starting',
  });
  assert.ok(!text.includes(canary));
});

const open: [sentence: string, config: Config, warning: RegExp][] = [
  ['no TLS', { ...closed, hook: { ...closed.hook, tls: undefined } }, /^HOOK_TLS=off/],
  ['no token', { ...closed, hook: { ...closed.hook, tokens: undefined } }, /^HOOK_AUTHENTICATION=none/],
  [
    'the Kubernetes API in plain HTTP',
    { ...closed, kubernetes: { ...closed.kubernetes, url: 'http://x' } },
    /^KUBERNETES_URL/,
  ],
  [
    'OpenBao in plain HTTP',
    { ...closed, openbao: { ...closed.openbao, address: 'http://x' } },
    /^OPENBAO_ADDRESS/,
  ],
];

for (const [sentence, config, warning] of open) {
  test(`${sentence} makes the line a warning that says so`, () => {
    const { level, warnings } = lineOf(config).line;
    assert.equal(level, 'warn');
    assert.ok(Array.isArray(warnings) && warnings.length === 1);
    assert.match(String(warnings[0]), warning);
  });
}
