import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { rootCertificates } from 'node:tls';

import { Client } from 'pg';

import { checkedCaBundle } from '../../src/postgres/ca-bundle.ts';
import { connectionConfig, managementLogin } from '../../src/postgres/connection-config.ts';
import { defaultLimits } from '../../src/postgres/limits.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';

const target: ServerTarget = {
  instanceUid: '0c8a3f5e-0000-4000-8000-000000000000',
  instanceName: 'main',
  installation: 'test',
  host: 'db.example.internal',
  hostAddress: undefined,
  port: 5433,
  managementDatabase: 'management',
  tls: { mode: 'verify-full', ca: undefined },
  username: 'manager',
  password: new Secret('p'),
  adminRole: undefined,
  maxConnections: 4,
};

const configOf = (more: Partial<ServerTarget>) => {
  const changed = { ...target, ...more };
  return connectionConfig(changed, managementLogin(changed, 'pgtenancy', 1_000), defaultLimits);
};

describe('the configuration of a connection', () => {
  const environment = {
    PGHOST: 'elsewhere',
    PGPORT: '1',
    PGUSER: 'somebody',
    PGPASSWORD: 'something',
    PGDATABASE: 'another',
    PGOPTIONS: '-c role=other',
    PGAPPNAME: 'other',
    PGSSLMODE: 'disable',
    PGSSLNEGOTIATION: 'direct',
    PGREPLICATION: 'database',
    PGCLIENT_ENCODING: 'LATIN1',
  };
  before(() => Object.assign(process.env, environment));
  after(() => Object.keys(environment).forEach((name) => Reflect.deleteProperty(process.env, name)));

  it('takes nothing from the environment', () => {
    const client = new Client(configOf({}));
    const parameters = Reflect.get(client, 'connectionParameters') as Record<string, unknown>;
    const startup = (Reflect.get(client, 'getStartupConf') as () => object).call(client);
    assert.equal(parameters['host'], 'db.example.internal');
    assert.equal(parameters['port'], 5433);
    assert.equal(parameters['sslnegotiation'], 'postgres');
    assert.notEqual(parameters['ssl'], false);
    assert.equal(client.password, 'p');
    assert.doesNotMatch(JSON.stringify(startup), /elsewhere|somebody|another|other|LATIN1/);
    assert.deepEqual(Object.keys(startup).sort(), [
      'application_name',
      'database',
      'options',
      'replication',
      'user',
    ]);
    assert.equal(Reflect.get(startup, 'replication'), 'false');
  });

  it('dials the address and asks for the name where both are given', () => {
    const { host, ssl } = configOf({ hostAddress: '192.0.2.7' });
    assert.equal(host, '192.0.2.7');
    assert.deepEqual(ssl, { minVersion: 'TLSv1.2', servername: 'db.example.internal' });
  });

  it("follows libpq's words for the TLS modes", () => {
    const sslOf = (mode: ServerTarget['tls']['mode']) => configOf({ tls: { mode, ca: undefined } }).ssl;
    assert.equal(sslOf('disable'), false);
    const base = { minVersion: 'TLSv1.2', servername: 'db.example.internal' };
    assert.deepEqual(sslOf('require'), { ...base, rejectUnauthorized: false });
    assert.deepEqual(sslOf('verify-full'), base);
    const verifyCa = sslOf('verify-ca');
    assert.ok(typeof verifyCa === 'object' && verifyCa.rejectUnauthorized === undefined);
    assert.equal(verifyCa.checkServerIdentity?.('any', {} as never), undefined);
  });

  it('switches to the admin role in startup options that escape white space and backslashes', () => {
    assert.match(configOf({ adminRole: 'the \\ role' }).options ?? '', /-c role=the\\ \\\\\\ role -c /);
    assert.match(configOf({}).options ?? '', /-c role=none -c local_preload_libraries= -c /);
  });

  it('refuses an empty login, which pg would fill from the environment', () => {
    assert.throws(() => configOf({ password: new Secret('') }), { reason: 'ManagementSecretInvalid' });
    assert.throws(() => configOf({ username: '' }), { reason: 'ManagementSecretInvalid' });
  });
});

describe('a CA bundle', () => {
  it('must hold certificates that can be read', () => {
    assert.throws(() => checkedCaBundle('garbage'), { reason: 'InvalidCABundle' });
    assert.throws(() => checkedCaBundle('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'), {
      reason: 'InvalidCABundle',
      message: /^certificate 1 in the CA bundle .* cannot be read; put it there whole/,
    });
  });

  it('must hold them whole: one that was cut off would be left out without a word', () => {
    const [whole = ''] = rootCertificates;
    assert.equal(checkedCaBundle(`# ours\n${whole}\n`), whole);
    assert.throws(() => checkedCaBundle(`${whole}\n${whole.slice(0, 200)}`), {
      reason: 'InvalidCABundle',
      message: /^certificate 2 in /,
    });
  });
});
