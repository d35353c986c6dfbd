import assert from 'node:assert/strict';
import { test } from 'node:test';

import { externalSecretKey } from '../../src/api/external-secret.ts';
import { Trouble } from '../../src/errors.ts';
import { finalizeTenant, syncTenant } from '../../src/reconcile/tenant.ts';
import { always } from './gate.ts';
import { requestOf } from './metacontroller.ts';
import { childKey } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';
import { deleteTenant, leavingWorld, newWorld, pointsOf, readyWorld } from './points.ts';

test('finalize without a deletionTimestamp touches nothing and keeps the child', async () => {
  for (const point of await pointsOf(newWorld())) {
    const world = point.world();
    const before = structuredClone(world.state);
    const request = { ...requestOf(world), finalizing: true };
    const answer = await finalizeTenant(world.context, request);
    const observed = Object.values(before.kubernetes.externalSecrets);
    assert.deepEqual(world.state, before, point.name);
    assert.deepEqual(
      answer.children.map(({ spec }) => spec),
      observed.map(({ spec }) => spec),
      point.name,
    );
    assert.deepEqual(answer.status, request.parent.status ?? {}, point.name);
    assert.equal(answer.finalized, false);
    assert.ok(answer.resyncAfterSeconds !== undefined);
  }
});

test('sync with a deletionTimestamp touches nothing, keeps the child and builds none', async () => {
  for (const point of await pointsOf(newWorld())) {
    const world = point.world();
    deleteTenant(world);
    const before = structuredClone(world.state);
    const answer = await syncTenant(world.context, { ...requestOf(world), finalizing: false });
    assert.deepEqual(world.state, before, point.name);
    assert.equal(answer.children.length, Object.keys(before.kubernetes.externalSecrets).length, point.name);
    assert.equal('finalized' in answer, false);
  }
});

test('finalize never creates: a child that was not observed is not answered', async () => {
  for (const point of await pointsOf(await leavingWorld())) {
    const world = point.world();
    world.state.kubernetes.externalSecrets = {};
    const answer = await finalizeTenant(world.context, requestOf(world));
    assert.deepEqual(answer.children, [], point.name);
  }
});

test('a Tenant whose deletion is blocked loses nothing, and is told what is in the way', async () => {
  const world = await leavingWorld();
  world.state.postgres.blockers.preparedTransactions = ['shop_orders: tx-1'];
  const before = structuredClone(world.state);
  const answer = await finalizeTenant(world.context, requestOf(world));
  assert.deepEqual(world.state, before);
  assert.equal(answer.children.length, 1);
  const ready = answer.status.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.reason, 'DeletionBlocked');
  assert.match(ready.message, /tx-1/);
});

test('a Tenant that lost its names to another one has nothing to lose in PostgreSQL', async () => {
  const world = newWorld();
  const { postgres } = world.state;
  postgres.rows['uid-other'] = {
    ...{
      tenantUid: 'uid-other',
      installation: 'prod',
      instanceUid: 'uid-instance',
      instanceName: 'main',
      namespace: 'other',
      name: 'app',
    },
    ...{ databaseName: 'shop_orders', roleName: 'shop_orders', roleOid: '90000', databaseOid: '90001' },
    state: 'Active',
  };
  deleteTenant(world);
  const before = structuredClone(postgres);
  const answer = await finalizeTenant(world.context, requestOf(world));
  assert.equal(answer.finalized, true);
  assert.deepEqual(world.state.postgres, before);
});

test('on the way down, an ExternalSecret that is being deleted is not asked for again', async () => {
  const points = await pointsOf(await leavingWorld());
  const going = points.map((point) => point.world()).filter(isChildGoing);
  assert.ok(going.length > 0);
  for (const world of going) {
    const answer = await finalizeTenant(world.context, requestOf(world));
    assert.deepEqual(answer.children, []);
  }
});

const isChildGoing = ({ state }: ModelWorld): boolean =>
  state.kubernetes.externalSecrets[childKey]?.metadata.deletionTimestamp !== undefined;

test('a child that cannot even be repeated is an error: a list without it would delete it', async () => {
  const world = await leavingWorld({});
  const request = requestOf(world);
  const children = { [externalSecretKey]: { [childKey]: { metadata: { name: 'orders-postgresql' } } } };
  world.gate.faults = always(/^kubernetes\.externalSecret$/, {
    kind: 'fails',
    error: new Trouble('KubernetesUnreachable', 'no route'),
  });
  await assert.rejects(finalizeTenant(world.context, { ...request, children }));
  await assert.rejects(syncTenant(world.context, { ...request, children, finalizing: false }));
});

test('an object that the API server does not have is not looked into: the answer tells nothing', async () => {
  const world = await readyWorld({});
  for (const metadata of [{ uid: 'uid-forged' }, { name: 'unknown' }]) {
    const request = requestOf(world);
    const parent = { ...request.parent, metadata: { ...request.parent.metadata, ...metadata }, status: {} };
    const before = world.gate.calls.length;
    const answer = await syncTenant(world.context, { ...request, parent });
    assert.deepEqual(answer.status, {});
    assert.deepEqual(world.gate.calls.slice(before), ['kubernetes.tenant']);
  }
});
