import assert from 'node:assert/strict';
import { test } from 'node:test';

import { confirmToken } from '../../src/domain/confirm.ts';
import type { Reason } from '../../src/domain/reasons.ts';
import { Trouble } from '../../src/errors.ts';
import { always, isWrite, onceAt, type Fault } from './gate.ts';
import {
  changeInstance,
  conditionOf,
  deleteInstance,
  instanceRequest,
  instanceTurn,
  liveInstance,
  newInstanceWorld,
  postInstance,
} from './instance-turns.ts';
import { settle } from './metacontroller.ts';
import { systemIdentifier } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';
import { newWorld, readyWorld } from './points.ts';

const climb = async (world: ModelWorld, most = 60): Promise<string[]> => {
  const phases: string[] = [];
  for (let round = 0; round < most; round += 1) {
    const writes = world.gate.calls.filter(isWrite).length;
    const answer = await instanceTurn(world).catch((error: unknown) => {
      if (error instanceof Trouble && error.reason === 'Busy') return undefined;
      if (error instanceof Error && error.message === 'bug') return undefined;
      throw error;
    });
    if (answer === undefined) continue;
    const { status, resyncAfterSeconds } = answer;
    if (status.phase !== undefined && status.phase !== phases.at(-1)) phases.push(status.phase);
    const rests = (resyncAfterSeconds ?? 0) >= 300 && world.gate.calls.filter(isWrite).length === writes;
    if (status.phase === 'Ready' && rests) return phases;
  }
  return assert.fail('it did not become Ready');
};

const failing = (reason: Reason): Fault => ({
  kind: 'fails',
  error: new Trouble(reason, `cannot: ${reason}`),
});

test('a new Instance climbs to Ready: registry first, then its own row', async () => {
  const world = newInstanceWorld();
  assert.deepEqual(await climb(world), ['Connected', 'RegistryReady', 'Ready']);
  assert.deepEqual(world.gate.calls.filter(isWrite), ['registry.migrate', 'registry.registerInstance']);
  assert.equal(liveInstance(world).status?.systemIdentifier, systemIdentifier);
});

test('two answers at Ready are equal to the byte', async () => {
  const world = newInstanceWorld();
  await climb(world);
  const first = await postInstance(world, instanceRequest(liveInstance(world)));
  world.advance(7200);
  const second = await postInstance(world, instanceRequest(liveInstance(world)));
  assert.equal(JSON.stringify(second), JSON.stringify(first));
});

test('the live object decides: a posted spec with another host or Secret is never dialled', async () => {
  const world = newInstanceWorld();
  const live = liveInstance(world);
  const managementSecretRef = { ...live.spec.managementSecretRef, name: 'stolen' };
  const forged = { ...live, spec: { ...live.spec, host: 'evil.example.com', managementSecretRef } };
  await postInstance(world, instanceRequest(forged));
  assert.deepEqual([...new Set(world.targets.map(({ host }) => host))], ['db.example.com']);
});

test('a posted Instance that does not exist, or is another one by now, is left as it is', async () => {
  for (const uid of [undefined, 'uid-new']) {
    const world = newInstanceWorld();
    const { parent } = instanceRequest(liveInstance(world));
    if (uid === undefined) world.state.kubernetes.instances = {};
    else changeInstance(world, { metadata: { ...parent.metadata, uid } });
    const answer = await postInstance(world, instanceRequest(parent));
    assert.deepEqual(answer.status, { observedGeneration: -1 });
    assert.deepEqual(world.targets, []);
  }
});

test('sync of an Instance that is being deleted, and finalize of one that is not, touch nothing', async () => {
  const world = newWorld();
  const asLive = liveInstance(world);
  const forged = { ...asLive, metadata: { ...asLive.metadata, deletionTimestamp: '2020-01-01T00:00:00Z' } };
  const refused = await postInstance(world, instanceRequest(forged));
  assert.equal(refused.finalized, false);
  deleteInstance(world);
  const left = await postInstance(world, instanceRequest(asLive));
  assert.equal('finalized' in left, false);
  assert.deepEqual(world.gate.calls, ['kubernetes.freshInstance', 'kubernetes.freshInstance']);
});

test('any one call may fail in any way on the way up, and the end is the same', async () => {
  const smooth = newInstanceWorld();
  await climb(smooth);
  const faults = [failing('InstanceUnreachable'), failing('KubernetesForbidden'), failing('StaleDecision')];
  const thrown: Fault[] = [new Trouble('Busy', 'held'), new Error('bug')].map((error) => ({
    kind: 'fails',
    error,
  }));
  const lost: Fault = {
    kind: 'answerLost',
    error: new Trouble('InstanceUnreachable', 'lost', { outcomeUnknown: true }),
  };
  for (const index of smooth.gate.calls.keys()) {
    for (const fault of [...faults, ...thrown, lost]) {
      const world = newInstanceWorld();
      world.gate.faults = onceAt(index, fault);
      await climb(world).catch((error: unknown) => assert.fail(`${index} ${String(error)}`));
      assert.deepEqual(world.state.postgres, smooth.state.postgres);
    }
  }
});

test('an unknown never lowers an Instance, whatever cannot be reached', async () => {
  const outages: [RegExp, Reason][] = [
    [/^observe\./, 'InstanceUnreachable'],
    [/^observe\.registry/, 'ServerError'],
    [/^kubernetes\./, 'KubernetesUnreachable'],
    [/^kubernetes\.freshInstance/, 'KubernetesForbidden'],
    [/^kubernetes\.managementSecret/, 'KubernetesUnreachable'],
  ];
  for (const [calls, reason] of outages) {
    const world = newInstanceWorld();
    await climb(world);
    world.gate.faults = always(calls, failing(reason));
    const answer = await instanceTurn(world);
    assert.equal(answer.status.phase, 'Ready');
    assert.equal(conditionOf(answer, 'Ready')?.status, 'True');
    const said = answer.status.conditions?.filter((condition) => condition.reason === reason) ?? [];
    assert.deepEqual(
      said.map(({ status }) => status),
      ['Unknown', ...(reason === 'KubernetesForbidden' ? ['True'] : [])],
      `${String(calls)}: only one rung, and Stalled where it must, say so`,
    );
  }
});

test('a refusal is known: it lowers, and says what to do', async () => {
  const world = newInstanceWorld();
  await climb(world);
  world.gate.faults = always(/^observe\.server/, failing('AuthenticationFailed'));
  const answer = await instanceTurn(world);
  assert.equal(answer.status.phase, 'Planned');
  assert.equal(conditionOf(answer, 'Ready')?.reason, 'AuthenticationFailed');
  assert.equal(conditionOf(answer, 'Stalled')?.status, 'True');
});

test('another server is accepted on a word of a human only, and once', async () => {
  const world = newInstanceWorld();
  await climb(world);
  world.state.postgres.view.systemIdentifier = '8';
  for (let round = 0; round < 3; round += 1) await instanceTurn(world);
  assert.equal(world.state.postgres.registry?.systemIdentifier, systemIdentifier);
  const token = confirmToken('SystemIdentifierChanged', ['uid-instance', systemIdentifier, '8']);
  const { metadata } = liveInstance(world);
  changeInstance(world, { metadata: { ...metadata, annotations: { 'pgtenancy.io/confirm': token } } });
  await climb(world);
  assert.equal(world.gate.calls.filter((call) => call === 'registry.acceptServer').length, 1);
});

test('a registry that is lost together with the status of its Instance is not made anew while Tenants tell of it', async () => {
  const world = await readyWorld({});
  world.state.kubernetes.instances = { main: liveInstance(newInstanceWorld()) };
  world.state.postgres.registry = null;
  for (let round = 0; round < 3; round += 1) await instanceTurn(world);
  assert.equal(world.state.postgres.registry, null);
  const told = liveInstance(world).status?.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(told?.reason, 'RegistryLost');
  const [, token = ''] = /confirm=([0-9a-f]+)/.exec(told.message) ?? [];
  const { metadata } = liveInstance(world);
  changeInstance(world, { metadata: { ...metadata, annotations: { 'pgtenancy.io/confirm': token } } });
  await climb(world);
});

test('whether Tenants tell of a lost registry must be known before one is made', async () => {
  const world = newInstanceWorld();
  world.gate.faults = always(/^kubernetes\.claimantsOf/, failing('KubernetesForbidden'));
  for (let round = 0; round < 3; round += 1) await instanceTurn(world);
  assert.equal(world.state.postgres.registry, null);
  world.gate.faults = () => undefined;
  await climb(world);
});

test('a deletion is refused while Tenants live on it, and names them', async () => {
  const world = await readyWorld({});
  deleteInstance(world);
  const answer = await instanceTurn(world);
  assert.equal(answer.finalized, false);
  assert.equal(conditionOf(answer, 'Ready')?.reason, 'TenantsExist');
  assert.match(conditionOf(answer, 'Ready')?.message ?? '', /1 Tenant lives.*shop\/orders/);
  assert.deepEqual(Object.keys(world.state.postgres.instances), ['uid-instance']);
  await settle(world);
});

test('a deleted Instance without Tenants leaves the registry and goes', async () => {
  const world = newInstanceWorld();
  await climb(world);
  deleteInstance(world);
  const answer = await instanceTurn(world);
  assert.equal(answer.finalized, true);
  assert.deepEqual(world.state.postgres.instances, {});
  assert.deepEqual(world.forgotten, ['uid-instance'], 'its pool and password go with it');
});

test('a registry that has forgotten its Tenants, or everything, is believed less than live Tenants', async () => {
  for (const instances of [{}, undefined]) {
    const world = await readyWorld({});
    deleteInstance(world);
    world.state.postgres.instances = instances ?? world.state.postgres.instances;
    world.state.postgres.rows = {};
    const held = await instanceTurn(world);
    assert.equal(held.finalized, false);
    assert.equal(conditionOf(held, 'Ready')?.reason, 'TenantsExist');
    world.state.kubernetes.tenants = {};
    assert.equal((await instanceTurn(world)).finalized, true);
  }
});

test('a live Tenant that never claimed anything does not hold its Instance', async () => {
  const world = newInstanceWorld();
  await climb(world);
  world.state.kubernetes.tenants = newWorld().state.kubernetes.tenants;
  deleteInstance(world);
  assert.equal((await instanceTurn(world)).finalized, true);
});

test('a Tenant that claims its names in the same moment is not left without its Instance', async () => {
  const world = newWorld();
  deleteInstance(world);
  world.gate.faults = (call) => {
    if (call === 'registry.releaseInstance') {
      world.state.postgres.rows['uid-late'] = {
        ...{ tenantUid: 'uid-late', installation: 'prod', instanceUid: 'uid-instance', namespace: 'shop' },
        ...{
          name: 'late',
          databaseName: 'late',
          roleName: 'late',
          roleOid: null,
          databaseOid: null,
          state: 'Active',
        },
      };
    }
    return undefined;
  };
  const answer = await instanceTurn(world);
  assert.equal(answer.finalized, false);
  assert.equal(conditionOf(answer, 'Ready')?.reason, 'TenantsExist');
});

test('a registry that cannot be reached is waited for, and the reason is told', async () => {
  const world = newWorld();
  deleteInstance(world);
  world.gate.faults = always(/^observe\./, failing('InstanceUnreachable'));
  const answer = await instanceTurn(world);
  assert.equal(answer.finalized, false);
  assert.equal(conditionOf(answer, 'Ready')?.reason, 'InstanceUnreachable');
  assert.match(
    conditionOf(answer, 'Ready')?.message ?? '',
    /cannot: InstanceUnreachable; the Instance is released/,
  );
});

test('a registry that cannot be reached for ten minutes is let go when no live Tenant names the Instance', async () => {
  const world = newWorld();
  deleteInstance(world);
  world.gate.faults = always(/^observe\./, failing('InstanceUnreachable'));
  world.advance(599);
  assert.equal((await instanceTurn(world)).finalized, false);
  world.advance(10);
  const held = await instanceTurn(world);
  assert.equal(held.finalized, false);
  assert.equal(conditionOf(held, 'Ready')?.reason, 'TenantsExist');
  world.state.kubernetes.tenants = {};
  assert.equal((await instanceTurn(world)).finalized, true);
  assert.deepEqual(world.letGo, [
    'main: released although its registry cannot be reached: cannot: InstanceUnreachable',
  ]);
});

test('an Instance is not let go while nobody can say whether Tenants name it', async () => {
  const world = newWorld();
  deleteInstance(world);
  world.advance(3600);
  world.gate.faults = always(/^(observe\.|kubernetes\.tenantsOf)/, failing('KubernetesForbidden'));
  assert.equal((await instanceTurn(world)).finalized, false);
});
