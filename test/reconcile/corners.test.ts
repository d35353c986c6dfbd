import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { PostgreSQLTenant } from '../../src/api/tenant.ts';
import { externalSecretKey } from '../../src/api/external-secret.ts';
import { finalizeTenant } from '../../src/reconcile/tenant.ts';
import { isWrite } from './gate.ts';
import { post, requestOf, settle, turn } from './metacontroller.ts';
import { childKey, tenantKey } from './model-state.ts';
import { ModelWorld } from './model-world.ts';
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

const row = ({ state }: ModelWorld) => Object.values(state.postgres.rows)[0];
const database = ({ state }: ModelWorld) => Object.values(state.postgres.databases)[0];
const role = ({ state }: ModelWorld) => Object.values(state.postgres.roles)[0];

const tenantOf = ({ state }: ModelWorld): PostgreSQLTenant => {
  const tenant = state.kubernetes.tenants[tenantKey];
  assert.ok(tenant !== undefined);
  return tenant;
};

const withFinalizers = (world: ModelWorld, finalizers: string[]): void => {
  const tenant = tenantOf(world);
  world.state.kubernetes.tenants[tenantKey] = {
    ...tenant,
    metadata: { ...tenant.metadata, finalizers },
  };
};

const ours = 'metacontroller.io/compositecontroller-postgresqltenant-controller';

const readyMessage = (world: ModelWorld): string =>
  tenantOf(world).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';

/** What is kept is registered, named as it should be, and in use. */
function assertKept(world: ModelWorld, name: string): void {
  const kept = database(world);
  assert.equal(row(world)?.state, 'Retained', name);
  assert.deepEqual(
    [kept?.name, kept?.allowConnections, kept?.publicConnect],
    ['shop_orders', true, false],
    name,
  );
  assert.equal(row(world)?.databaseOid, kept?.oid, name);
  assert.equal(role(world)?.canLogin, true, name);
}

test('a policy that becomes Retain at any point of a deletion undoes what can be undone, and tells the rest', async () => {
  let undone = 0;
  for (const point of await pointsOf(await leavingWorld())) {
    const world = point.world();
    editTenant(world, { deletionPolicy: 'Retain' });
    const before = structuredClone(world.state.postgres);
    await settle(world);
    assert.deepEqual(world.state.kubernetes.tenants, {}, point.name);
    if (Object.keys(before.databases).length > 0) {
      assertKept(world, point.name);
      undone += 1;
    } else if (Object.keys(before.rows).length > 0) {
      assert.match(world.letGo.join(), /retained, but gone already: database "shop_orders"/, point.name);
      assert.equal(row(world)?.state, 'Retained', point.name);
    }
    assert.deepEqual(Object.keys(world.state.postgres.rows), Object.keys(before.rows), point.name);
  }
  assert.ok(undone >= 4);
});

test('a policy that becomes Retain on the way up keeps what there is by then', async () => {
  for (const point of await pointsOf(newWorld())) {
    const world = point.world();
    deleteTenant(world);
    editTenant(world, { deletionPolicy: 'Retain' });
    const had = database(world) !== undefined;
    await settle(world);
    assert.deepEqual(world.state.kubernetes.tenants, {}, point.name);
    if (had) assertKept(world, point.name);
    else if (row(world) !== undefined) assert.equal(row(world)?.state, 'Retained', point.name);
  }
});

/** One that somebody else holds: it is waited for. */
function holdChild(world: ModelWorld): void {
  const child = world.state.kubernetes.externalSecrets[childKey];
  assert.ok(child !== undefined);
  world.state.kubernetes.externalSecrets[childKey] = {
    ...child,
    metadata: { ...child.metadata, deletionTimestamp: new Date(world.state.now).toISOString() },
  };
}

test('a policy that goes to and fro ends where it says last', async () => {
  for (const last of ['Retain', 'Delete'] as const) {
    const world = await leavingWorld({ deletionPolicy: 'Retain' });
    for (let round = 0; round < 3 && row(world)?.state !== 'Retained'; round += 1) await turn(world);
    assert.equal(row(world)?.state, 'Retained');
    editTenant(world, { deletionPolicy: 'Delete' });
    for (let round = 0; round < 8 && database(world)?.allowConnections !== false; round += 1)
      await turn(world);
    assert.deepEqual([row(world)?.state, database(world)?.allowConnections], ['Retained', false]);
    editTenant(world, { deletionPolicy: last });
    await settle(world);
    assert.deepEqual(world.state.kubernetes.tenants, {});
    if (last === 'Retain') assertKept(world, last);
    else assert.deepEqual([row(world), database(world), role(world)], [undefined, undefined, undefined]);
  }
});

test('without the finalizer of Metacontroller a deletion destroys nothing, at whatever point it is lost', async () => {
  for (const point of await pointsOf(await leavingWorld())) {
    const world = point.world();
    withFinalizers(world, ['example.com/hold']);
    const { postgres, openbao } = structuredClone(world.state);
    for (let round = 0; round < 3; round += 1) await turn(world);
    assert.deepEqual([world.state.postgres, world.state.openbao], [postgres, openbao], point.name);
    if (Object.keys(postgres.rows).length > 0)
      assert.match(readyMessage(world), /finalizer .* is not on/, point.name);
  }
});

test('a finalizer that was taken off after the request was made stops its step', async () => {
  const world = await leavingWorld();
  const request = requestOf(world);
  withFinalizers(world, ['example.com/hold']);
  const before = structuredClone(world.state.postgres);
  await finalizeTenant(world.context, request);
  assert.deepEqual(world.state.postgres, before);
});

/** What the garbage collector does under `--cascade=orphan`. */
function orphan(world: ModelWorld): void {
  const child = world.state.kubernetes.externalSecrets[childKey];
  assert.ok(child !== undefined);
  const { ownerReferences, ...metadata } = child.metadata;
  assert.ok(ownerReferences !== undefined);
  world.state.kubernetes.externalSecrets[childKey] = { ...child, metadata };
}

test('Delete waits for a person once the ExternalSecret was orphaned, also where Metacontroller has not seen it', async () => {
  const world = await leavingWorld();
  withFinalizers(world, [ours, 'orphan']);
  const stale = requestOf(world);
  await turn(world);
  assert.match(readyMessage(world), /^waiting for the garbage collector to orphan/);
  orphan(world);
  withFinalizers(world, [ours]);
  const before = structuredClone(world.state.postgres);
  const answer = await post(world, { ...requestOf(world), children: stale.children });
  assert.equal(answer.children.length, 1, 'a list without it would delete what was to stay');
  for (let round = 0; round < 4; round += 1) await turn(world);
  assert.match(readyMessage(world), /^ExternalSecret "orders-postgresql" was orphaned/);
  assert.deepEqual(world.state.postgres, before);
  assert.ok(secretLogsIn(world));
  world.state.kubernetes.externalSecrets = {};
  await settle(world);
  assert.deepEqual(world.state.postgres.rows, {});
});

test('Retain under orphaning lets go at once, and leaves ExternalSecret and Secret in use', async () => {
  const world = await leavingWorld({ deletionPolicy: 'Retain' });
  withFinalizers(world, [ours, 'orphan']);
  await settle(world);
  assertKept(world, 'orphan');
  assert.ok(world.state.kubernetes.externalSecrets[childKey] !== undefined);
  assert.ok(secretLogsIn(world));
});

test('in foreground deletion the ExternalSecret is left to the garbage collector', async () => {
  const world = await leavingWorld();
  withFinalizers(world, [ours, 'foregroundDeletion']);
  const { answer } = await turn(world);
  assert.equal(answer?.children.length, 1);
  assert.match(readyMessage(world), /^waiting for the garbage collector to delete/);
  holdChild(world);
  await settle(world);
  assert.deepEqual([world.state.postgres.rows, world.state.openbao.records], [{}, {}]);
});

test('in a namespace that is being deleted nothing is begun, and no ExternalSecret asked for', async () => {
  const young = newWorld();
  young.state.kubernetes.namespaces = {};
  for (let round = 0; round < 4; round += 1) await turn(young);
  assert.deepEqual([young.gate.calls.filter(isWrite), young.state.postgres.rows], [[], {}]);
  assert.match(readyMessage(young), /^namespace "shop" is being deleted/);

  const late = await readyWorld();
  late.state.kubernetes.namespaces = {};
  late.state.kubernetes.externalSecrets = {};
  for (let round = 0; round < 4; round += 1) {
    const { answer } = await turn(late);
    assert.deepEqual(answer?.children, []);
  }
  assert.match(readyMessage(late), /^namespace "shop" is being deleted/);
  deleteTenant(late);
  await settle(late);
  assert.deepEqual([late.state.postgres.rows, late.state.openbao.records], [{}, {}]);
});

for (const deletionPolicy of ['Retain', 'Delete'] as const) {
  test(`${deletionPolicy}: finalize is asked again after it is done, and changes nothing more`, async () => {
    const world = await leavingWorld({ deletionPolicy });
    const last = (await pointsOf(world)).at(-1)?.world();
    assert.ok(last !== undefined);
    const request = requestOf(last);
    assert.equal((await post(last, request)).finalized, true);
    // Another finalizer still holds the object; ours is gone.
    withFinalizers(last, ['example.com/hold']);
    const before = remainsOf(last);
    for (const again of [requestOf(last), request, requestOf(last)]) {
      const answer = await post(last, again);
      assert.equal(answer.finalized, true);
    }
    assert.deepEqual(remainsOf(last), before);
    last.state.kubernetes.tenants = {};
    const gone = await finalizeTenant(last.context, request);
    assert.deepEqual([gone.finalized, gone.children], [false, []]);
  });

  test(`${deletionPolicy}: two replicas that finalize at once come to the same end`, async () => {
    const world = await leavingWorld({ deletionPolicy });
    const other = world.restarted();
    for (let round = 0; round < 12; round += 1) {
      const request = requestOf(world);
      const answers = await Promise.all([post(world, request), post(other, request)]);
      if (answers.some(({ finalized }) => finalized === true)) break;
      await turn(world);
      if (Object.keys(world.state.kubernetes.tenants).length === 0) break;
    }
    if (deletionPolicy === 'Retain') assertKept(world, deletionPolicy);
    else assert.deepEqual([row(world), database(world), role(world)], [undefined, undefined, undefined]);
  });
}

test('what is said about children on the way down is not believed: the live object decides', async () => {
  const world = await leavingWorld();
  const request = requestOf(world);
  const empty = await post(world, { ...request, children: { [externalSecretKey]: {} } });
  assert.equal(empty.status.phase, 'ExternalSecretCreated');
  const gone = await leavingWorld();
  const posted = requestOf(gone);
  gone.state.kubernetes.externalSecrets = {};
  assert.equal((await post(gone, posted)).status.phase, 'DatabaseCreated');
});
