import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Condition } from '../../src/api/conditions.ts';
import { tenantStatusShape, type TenantStatus } from '../../src/api/tenant.ts';
import { known } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { later, statusOf } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, live, lost, ready } from './worlds.ts';

const cube = world.withWish(ready(), { extensions: [{ name: 'cube' }, { name: 'hstore' }] });
const installed = world.withSession(cube, { ...world.proven, installed: [world.installed('cube')] });

const worlds: Readonly<Record<string, TenantFacts>> = {
  'a new Tenant': fresh(),
  'a Tenant that is Ready': ready(),
  'a Tenant that waits': world.withNamedDatabase(ready(), { ownerOid: '90000' }),
  'a Tenant whose role is gone': world.withoutRole(ready()),
  'a Tenant with extensions': installed,
  'a Tenant with a login to come': world.withSession(ready(), { kind: 'deferred' }),
  'a Tenant whose server cannot be reached': ready({ catalog: lost, session: lost }),
  'a Tenant of which nothing can be seen': ready({
    instance: lost,
    catalog: lost,
    credential: lost,
    child: lost,
  }),
};

const bytes = (status: TenantStatus): string => JSON.stringify(status);

for (const [subject, facts] of Object.entries(worlds)) {
  test(`same world, same bytes: ${subject}`, () => {
    const first = statusOf(facts);
    const second = statusOf(facts, JSON.parse(bytes(first)) as TenantStatus, later);
    assert.equal(bytes(second), bytes(first));
    assert.deepEqual(statusOf(facts, second, later), second);
  });

  test(`status: that of ${subject} is one that the API server takes`, () => {
    assert.doesNotThrow(() => tenantStatusShape.strict().parse(JSON.parse(bytes(statusOf(facts)))));
  });
}

const seen = Object.entries(worlds).filter(([, facts]) => facts.catalog.known);

for (const [subject, facts] of seen) {
  test(`status: a lying one of ${subject} is rebuilt from the facts`, () => {
    for (const lie of Object.values(worlds)) {
      const { phase, conditions } = statusOf(facts, statusOf(lie));
      const honest = statusOf(facts);
      assert.equal(phase, honest.phase);
      assert.deepEqual(conditions?.map(withoutHistory), honest.conditions?.map(withoutHistory));
    }
  });
}

const withoutHistory = ({ type, status, reason, message }: Condition): object => ({
  type,
  status,
  reason,
  message,
});

test('status: of a Tenant that is Ready', () => {
  const { conditions, ...rest } = statusOf(ready());
  assert.equal(conditions?.length, 7);
  assert.deepEqual(JSON.parse(JSON.stringify(rest)), {
    phase: 'Ready',
    databaseName: 'shop_orders',
    roleName: 'shop_orders',
    endpoint: { host: 'db.example.com', hostAddress: '192.0.2.10', port: 5432 },
    secretRef: { name: 'orders-postgresql' },
    binding: { name: 'orders-postgresql' },
    credential: { url: world.settings.credentialUrl, version: 1 },
  });
});

test('status: of a new Tenant names nothing that is not there', () => {
  const { conditions, ...rest } = statusOf(fresh());
  assert.equal(conditions?.length, 7);
  assert.deepEqual(JSON.parse(JSON.stringify(rest)), {
    phase: 'Planned',
    endpoint: { host: 'db.example.com', hostAddress: '192.0.2.10', port: 5432 },
  });
});

test('status: what cannot be read now stays as recorded', () => {
  const before = statusOf(installed);
  const blind = { instance: lost, catalog: lost, credential: lost, session: lost, child: lost };
  const after = statusOf({ ...installed, ...blind }, before, later);
  assert.deepEqual({ ...after, conditions: [] }, { ...before, conditions: [] });
});

test('status: an Instance that does not exist leaves the recorded endpoint', () => {
  const before = statusOf(ready());
  const after = statusOf(ready({ instance: known({ kind: 'absent' }) }), before, later);
  assert.deepEqual(after.endpoint, before.endpoint);
});

test('status: a changed endpoint shows', () => {
  const endpoint = { host: 'new.example.com', port: 6432 };
  assert.deepEqual(statusOf(world.withInstance(ready(), { endpoint }), statusOf(ready())).endpoint, endpoint);
});

test('status: the credential is the version that the Secret is pinned to, not the newest', () => {
  const facts = world.withCredential(ready(), { ...live, version: 2 });
  assert.equal(statusOf(facts).credential?.version, 1);
});

test('status: before there is an ExternalSecret no credential is told, so that nobody logs in too early', () => {
  for (const child of [{ kind: 'absent' }, { kind: 'foreign' }] as const) {
    assert.equal(statusOf(world.withChild(ready(), child)).credential, undefined);
  }
});

test('status: an ExternalSecret without a pin tells no credential', () => {
  assert.equal(statusOf(world.withObject(ready(), { spec: {} })).credential, undefined);
});

test('status: a credential that was told stays so while the ExternalSecret is made again', () => {
  const { credential } = statusOf(ready({ child: known({ kind: 'absent' }) }), statusOf(ready()));
  assert.deepEqual(credential, { url: world.settings.credentialUrl, version: 1 });
});

test('status: the row decides about the names', () => {
  const { databaseName, roleName } = statusOf(world.withRow(ready(), { databaseName: 'a', roleName: 'b' }));
  assert.deepEqual([databaseName, roleName], ['a', 'b']);
});

test('status: lists the extensions that are there, of those that are asked for', () => {
  assert.deepEqual(statusOf(installed).extensions, [{ name: 'cube', version: '1.0' }]);
});
