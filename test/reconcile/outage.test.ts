import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases } from '../../src/api/tenant.ts';
import { pinOf } from '../../src/domain/children.ts';
import type { Reason } from '../../src/domain/reasons.ts';
import { Trouble } from '../../src/errors.ts';
import { finalizeTenant } from '../../src/reconcile/tenant.ts';
import { always, isWrite } from './gate.ts';
import { post, readyOf, requestOf, settle, turn } from './metacontroller.ts';
import { childKey } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';
import {
  deleteTenant,
  editTenant,
  leavingWorld,
  newWorld,
  pointsOf,
  readyWorld,
  remainsOf,
  secretLogsIn,
} from './points.ts';

interface Outage {
  readonly calls: RegExp;
  readonly reason: Reason;
}

const outages: Record<string, Outage> = {
  'OpenBao cannot be reached': { calls: /^credentials\./, reason: 'OpenBaoUnreachable' },
  'OpenBao answers 403': { calls: /^credentials\./, reason: 'OpenBaoForbidden' },
  'the catalog cannot be read': { calls: /^observe\.tenant/, reason: 'InstanceUnreachable' },
  'PostgreSQL cannot be reached': { calls: /^(observe|tenants)\./, reason: 'InstanceUnreachable' },
  'nobody can log in to the database': { calls: /^observe\.session/, reason: 'LoginRefused' },
  'the Kubernetes API cannot be reached': { calls: /^kubernetes\./, reason: 'KubernetesUnreachable' },
  'the Kubernetes API answers 403': { calls: /^kubernetes\./, reason: 'KubernetesForbidden' },
  'nothing can be reached': { calls: /./, reason: 'InstanceUnreachable' },
};

function breakDown(world: ModelWorld, { calls, reason }: Outage): void {
  world.gate.faults = always(calls, { kind: 'fails', error: new Trouble(reason, `cannot: ${reason}`) });
}

function mend(world: ModelWorld): void {
  world.gate.faults = () => undefined;
}

const phaseOf = (world: ModelWorld): number =>
  tenantPhases.indexOf(Object.values(world.state.kubernetes.tenants)[0]?.status?.phase ?? 'Planned');

for (const [name, outage] of Object.entries(outages)) {
  test(`while ${name}, no phase is lowered on the way up, and it goes on afterwards`, async () => {
    const smooth = newWorld();
    await settle(smooth);
    for (const point of await pointsOf(newWorld())) {
      const world = point.world();
      breakDown(world, outage);
      for (let round = 0; round < 4; round += 1) {
        const before = phaseOf(world);
        await turn(world);
        assert.ok(phaseOf(world) >= before, point.name);
      }
      mend(world);
      await settle(world);
      assert.deepEqual(remainsOf(world), remainsOf(smooth), point.name);
      assert.equal(world.state.openbao.passwords.length, 1, point.name);
    }
  });

  if (!outage.calls.test('observe.session') || outage.calls.test('observe.tenant')) {
    test(`while ${name}, a deletion destroys nothing blindly, and ends afterwards`, async () => {
      for (const point of await pointsOf(await leavingWorld())) {
        const world = point.world();
        breakDown(world, outage);
        const { postgres, openbao } = structuredClone(world.state);
        for (let round = 0; round < 4; round += 1) {
          const { answer } = await turn(world);
          assert.notEqual(answer?.finalized, true, point.name);
        }
        if (outage.calls.test('observe.tenant')) {
          assert.deepEqual([world.state.postgres, world.state.openbao], [postgres, openbao], point.name);
        }
        mend(world);
        await settle(world);
        assert.deepEqual(world.state.openbao.records, {}, point.name);
        assert.deepEqual(world.state.postgres.rows, {}, point.name);
      }
    });
  }

  test(`while ${name}, a Tenant at rest stays Ready, and its child stays with its pin`, async () => {
    const world = await readyWorld();
    const before = world.state.kubernetes.externalSecrets[childKey];
    assert.ok(before !== undefined);
    breakDown(world, outage);
    for (let round = 0; round < 4; round += 1) {
      const { answer, writes, childrenChanged } = await turn(world);
      assert.deepEqual(writes, []);
      assert.equal(childrenChanged, false);
      assert.deepEqual(answer?.children[0]?.spec, before.spec);
      assert.equal(answer.status.phase, 'Ready');
      assert.equal(readyOf(answer.status), 'True');
    }
    assert.ok(secretLogsIn(world));
  });
}

test('a child stays with the pin that was observed while a newer record is not proven yet', async () => {
  const world = await readyWorld();
  const path = 'prod/shop/orders/uid-tenant';
  const first = world.state.openbao.records[path]?.[0];
  assert.ok(first != null);
  world.state.openbao.records[path] = [first, { ...first, createdAt: '2026-03-02T00:00:00Z' }];
  breakDown(world, { calls: /^observe\.session/, reason: 'LoginRefused' });
  const { answer } = await turn(world);
  assert.equal(versionIn(world), 1);
  assert.equal(answer?.children.length, 1);
  mend(world);
  await settle(world);
  assert.equal(versionIn(world), 2);
});

const versionIn = ({ state }: ModelWorld): number | undefined => {
  const child = state.kubernetes.externalSecrets[childKey];
  return child === undefined ? undefined : pinOf(child)?.version;
};

test('a child stays while the record behind it is lost and waits for a human', async () => {
  const world = await readyWorld();
  world.state.openbao.records = {};
  for (let round = 0; round < 3; round += 1) {
    const { answer, childrenChanged } = await turn(world);
    assert.equal(childrenChanged, false);
    assert.equal(answer?.children.length, 1);
  }
  assert.equal(versionIn(world), 1);
});

test('a child stays as it is when its pin cannot be read and neither can OpenBao', async () => {
  const world = await readyWorld();
  const { externalSecrets } = world.state.kubernetes;
  const child = externalSecrets[childKey];
  assert.ok(child !== undefined);
  externalSecrets[childKey] = { ...child, spec: { edited: 'by hand' } };
  breakDown(world, { calls: /^credentials\./, reason: 'OpenBaoUnreachable' });
  const answer = await post(world, requestOf(world));
  assert.deepEqual(
    answer.children.map(({ spec }) => spec),
    [{ edited: 'by hand' }],
  );
});

test('a child that was not observed is never created while the Kubernetes API cannot say whose name it is', async () => {
  for (const point of await pointsOf(newWorld())) {
    const world = point.world();
    if (Object.keys(world.state.kubernetes.externalSecrets).length > 0) continue;
    breakDown(world, { calls: /^kubernetes\.externalSecret/, reason: 'KubernetesUnreachable' });
    const answer = await post(world, requestOf(world));
    assert.deepEqual(answer.children, [], point.name);
  }
});

test('a foreign ExternalSecret is never answered, whatever else is there', async () => {
  for (const point of await pointsOf(newWorld())) {
    const world = point.world();
    const { externalSecrets } = world.state.kubernetes;
    externalSecrets[childKey] = {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'orders-postgresql', namespace: 'shop', uid: 'uid-foreign', generation: 1 },
      spec: {},
    };
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual((await post(world, requestOf(world))).children, [], point.name);
    }
  }
});

test('an outage of the server does not hinder Retain from letting go, ten minutes after the deletion', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  deleteTenant(world);
  breakDown(world, { calls: /^(observe|tenants)\./, reason: 'InstanceUnreachable' });
  for (let round = 0; round < 3; round += 1) assert.equal((await turn(world)).answer?.finalized, false);
  world.advance(601);
  await settle(world);
  assert.deepEqual(world.gate.calls.filter(isWrite).slice(-1), ['tenants.openDatabase']);
  assert.deepEqual(world.letGo, ['shop/orders: retained without a mark: cannot: InstanceUnreachable']);
  assert.equal(world.state.postgres.rows['uid-tenant']?.state, 'Active');
});

test('a mark that cannot be written does not hinder Retain either, ten minutes after the deletion', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  deleteTenant(world);
  breakDown(world, { calls: /^tenants\.retain/, reason: 'PermissionDenied' });
  for (let round = 0; round < 3; round += 1) assert.equal((await turn(world)).answer?.finalized, false);
  world.advance(601);
  await settle(world);
  assert.deepEqual(world.letGo, ['shop/orders: retained without a mark: cannot: PermissionDenied']);
  assert.equal(world.state.postgres.rows['uid-tenant']?.state, 'Active');
});

test('what could not be opened again in ten minutes is told together with why, although the row was marked before', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  deleteTenant(world);
  const { rows, databases } = world.state.postgres;
  Object.assign(rows['uid-tenant'] ?? {}, { state: 'Retained' });
  for (const database of Object.values(databases)) database.allowConnections = false;
  breakDown(world, { calls: /^tenants\.reopenRetained/, reason: 'PermissionDenied' });
  for (let round = 0; round < 3; round += 1) assert.equal((await turn(world)).answer?.finalized, false);
  world.advance(601);
  await settle(world);
  assert.deepEqual(world.letGo, [
    'shop/orders: retained, but cannot: PermissionDenied; database "shop_orders" refuses connections until a database administrator runs: alter database "shop_orders" allow_connections true',
  ]);
});

test('a row that is not ours to mark is told as such, ten minutes after the deletion', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  deleteTenant(world);
  Object.assign(world.state.postgres.rows['uid-tenant'] ?? {}, { installation: 'other' });
  world.advance(601);
  await settle(world);
  assert.match(
    world.letGo.join(),
    /^shop\/orders: retained without a mark: the registry row .* belongs to installation "other"/,
  );
});

test('a lock that is held all the time does not hinder Retain either, ten minutes after the deletion', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  deleteTenant(world);
  breakDown(world, { calls: /^(observe|tenants)\./, reason: 'Busy' });
  await assert.rejects(finalizeTenant(world.context, requestOf(world)), { reason: 'Busy' });
  world.advance(601);
  const answer = await finalizeTenant(world.context, requestOf(world));
  assert.equal(answer.finalized, true);
  assert.deepEqual(world.letGo, ['shop/orders: retained without a mark: cannot: Busy']);
  assert.equal(world.state.postgres.rows['uid-tenant']?.state, 'Active');
});

for (const [call, reason] of [
  ['observe.tenant', 'InstanceUnreachable'],
  ['observe.tenant', 'Busy'],
  ['tenants.reopenRetained', 'LockHeld'],
  ['tenants.reopenRetained', 'Busy'],
  ['tenants.reopenRetained', 'StaleDecision'],
] as const) {
  test(`after a late change to Retain one ${reason} of ${call} lets nothing go that is shut`, async () => {
    const world = await leavingWorld();
    const { databases, roles, rows } = world.state.postgres;
    const named = () => Object.values(databases).map(({ name }) => name);
    while (!named().includes('pto_drop_uid-tenant')) await turn(world);
    world.advance(24 * 3600);
    editTenant(world, { deletionPolicy: 'Retain' });
    breakDown(world, { calls: new RegExp(`^${call}$`), reason });
    for (let round = 0; round < 5; round += 1) assert.notEqual((await turn(world)).answer?.finalized, true);
    mend(world);
    await settle(world);
    assert.deepEqual(named(), ['shop_orders']);
    assert.ok(Object.values(databases).every(({ allowConnections }) => allowConnections));
    assert.ok(Object.values(roles).every(({ canLogin }) => canLogin));
    assert.equal(rows['uid-tenant']?.state, 'Retained');
  });
}

test('an outage of the server holds up Delete for as long as it lasts', async () => {
  const world = await leavingWorld();
  breakDown(world, { calls: /^(observe|tenants)\./, reason: 'InstanceUnreachable' });
  world.advance(24 * 3600);
  const { answer } = await turn(world);
  assert.equal(answer?.finalized, false);
  assert.equal(answer.children.length, 1);
});

test('a step that is not taken because the live object cannot be read says so in its condition', async () => {
  const steps = (await pointsOf(newWorld())).filter(({ acted }) => acted);
  for (const point of steps) {
    const world = point.world();
    breakDown(world, { calls: /^kubernetes\.tenant$/, reason: 'KubernetesForbidden' });
    const { status } = await post(world, requestOf(world));
    const told = status.conditions?.filter(({ reason }) => reason === 'KubernetesForbidden') ?? [];
    assert.ok(
      ['Ready', 'Stalled'].every((type) => told.some((condition) => condition.type === type)),
      point.name,
    );
  }
});

for (const reason of ['InstanceUnreachable', 'Busy'] as const) {
  test(`what cannot be read live is never let go, nor told of, although the server is ${reason}`, async () => {
    const world = await readyWorld({ deletionPolicy: 'Retain' });
    deleteTenant(world);
    world.advance(601);
    const posted = requestOf(world);
    const unseen = new Trouble('KubernetesUnreachable', 'cannot');
    world.gate.faults = (call) =>
      call.startsWith('kubernetes.')
        ? { kind: 'fails', error: unseen }
        : { kind: 'fails', error: new Trouble(reason, 'cannot') };
    const answer = await finalizeTenant(world.context, posted).catch(() => undefined);
    assert.notEqual(answer?.finalized, true);
    assert.deepEqual(world.letGo, []);
  });
}
