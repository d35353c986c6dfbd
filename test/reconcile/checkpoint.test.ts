import assert from 'node:assert/strict';
import { test } from 'node:test';

import { confirmAnnotation } from '../../src/api/metadata.ts';
import type { PostgreSQLTenant, TenantStatus } from '../../src/api/tenant.ts';
import { post, requestOf } from './metacontroller.ts';
import { tenantKey } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';
import { leavingWorld, newWorld, pointsOf, type Point } from './points.ts';
import { without } from './without.ts';

/** What may have happened to the live object since the request was made. */
const changes: Record<string, (live: PostgreSQLTenant) => PostgreSQLTenant | undefined> = {
  'it is gone': () => undefined,
  'it is another object of the same name': (live) => withMetadata(live, { uid: 'uid-other' }),
  'its generation is another': (live) => withMetadata(live, { generation: live.metadata.generation + 1 }),
  'its spec is another': (live) => ({ ...live, spec: { ...live.spec, connectionLimit: 7 } }),
  'its policy is another': (live) => ({ ...live, spec: { ...live.spec, deletionPolicy: 'Retain' } }),
  'a human has given a word': (live) => withMetadata(live, { annotations: { [confirmAnnotation]: 'token' } }),
  'its deletion state is another': (live) =>
    live.metadata.deletionTimestamp === undefined
      ? withMetadata(live, { deletionTimestamp: '2026-03-01T12:00:00Z' })
      : { ...live, metadata: withoutDeletion(live) },
  'another phase is recorded': (live) => ({
    ...live,
    status: { ...live.status, phase: live.status?.phase === 'RoleCreated' ? 'Planned' : 'RoleCreated' },
  }),
  'no status is recorded': (live) => without(live, 'status'),
};

const withMetadata = (
  live: PostgreSQLTenant,
  more: Partial<PostgreSQLTenant['metadata']>,
): PostgreSQLTenant => ({
  ...live,
  metadata: { ...live.metadata, ...more },
});

const withoutDeletion = ({ metadata }: PostgreSQLTenant): PostgreSQLTenant['metadata'] =>
  without(metadata, 'deletionTimestamp') as PostgreSQLTenant['metadata'];

function replaceTenant(
  { state }: ModelWorld,
  apply: (live: PostgreSQLTenant) => PostgreSQLTenant | undefined,
): void {
  const { tenants } = state.kubernetes;
  const live = tenants[tenantKey];
  assert.ok(live !== undefined);
  const changed = apply(structuredClone(live));
  state.kubernetes.tenants = changed === undefined ? {} : { [tenantKey]: changed };
}

/** The live object is read twice: at the beginning, and right before the step. It changes in between. */
function whileLooking({ gate }: ModelWorld, change: () => void): void {
  let reads = 0;
  gate.faults = (call) => {
    reads += call === 'kubernetes.tenant' ? 1 : 0;
    if (call === 'kubernetes.tenant' && reads === 2) change();
    return undefined;
  };
}

/** `disturb` comes between Metacontroller's request and the step that would follow from it. */
async function stepIsNotTaken(point: Point, disturb: (world: ModelWorld) => void): Promise<void> {
  const world = point.world();
  const request = requestOf(world);
  const { postgres, openbao } = structuredClone(world.state);
  const observed = Object.keys(world.state.kubernetes.externalSecrets).length;
  disturb(world);
  const answer = await post(world, request);
  assert.deepEqual([world.state.postgres, world.state.openbao], [postgres, openbao], point.name);
  assert.deepEqual(world.acts, [], point.name);
  assert.equal(answer.children.length, observed, `${point.name}: children as they were`);
}

const directions = { up: () => Promise.resolve(newWorld()), down: () => leavingWorld() };

for (const [direction, begin] of Object.entries(directions)) {
  for (const [change, apply] of Object.entries(changes)) {
    test(`on the way ${direction}, no step is taken when ${change}`, async () => {
      const points = (await pointsOf(await begin())).filter(({ acted }) => acted);
      assert.equal(points.length, 7, 'every step of the way is tried');
      for (const point of points) {
        await stepIsNotTaken(point, (world) => replaceTenant(world, apply));
        await stepIsNotTaken(point, (world) => whileLooking(world, () => replaceTenant(world, apply)));
      }
    });
  }

  test(`on the way ${direction}, no step is taken while another phase is posted than derived`, async () => {
    for (const point of (await pointsOf(await begin())).filter(({ acted }) => acted)) {
      const world = point.world();
      const request = requestOf(world);
      const live = request.parent;
      const phase = live.status?.phase === 'Ready' ? 'Planned' : 'Ready';
      world.state.kubernetes.tenants[tenantKey] = { ...live, status: { ...live.status, phase } };
      const before = structuredClone(world.state);
      const answer = await post(world, requestOf(world));
      assert.deepEqual(world.state, before, point.name);
      assert.equal(answer.status.phase, live.status?.phase, 'the answer only corrects the phase');
    }
  });
}

test('the same world without a change takes every one of these steps', async () => {
  for (const begin of Object.values(directions)) {
    for (const point of (await pointsOf(await begin())).filter(({ acted }) => acted)) {
      const world = point.world();
      const observed = Object.keys(world.state.kubernetes.externalSecrets).length;
      const { children } = await post(world, requestOf(world));
      const steps = world.acts.length + (children.length === observed ? 0 : 1);
      assert.equal(steps, 1, point.name);
    }
  }
});

test('a request that is one status behind does nothing and is answered with what is recorded by now', async () => {
  for (const begin of Object.values(directions)) {
    const points = await pointsOf(await begin());
    for (const [index, point] of points.entries()) {
      const earlier = points[index - 1];
      const world = point.world();
      const request = requestOf(world);
      const older = earlier === undefined ? undefined : requestOf(earlier.world()).parent.status;
      if (older === undefined || older.phase === request.parent.status?.phase) continue;
      const late = { ...request, parent: { ...request.parent, status: older } };
      const before = structuredClone(world.state);
      const { status } = await post(world, late);
      assert.deepEqual(world.state, before, point.name);
      assert.deepEqual(timesOf(status), timesOf(request.parent.status), point.name);
    }
  }
});

/** A condition keeps its time as long as its status is the same. */
const timesOf = (status: TenantStatus | undefined): (string | undefined)[] =>
  ['CredentialCreated', 'RoleCreated'].map(
    (wanted) => status?.conditions?.find(({ type }) => type === wanted)?.lastTransitionTime,
  );
