import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import { post, readyOf, requestOf, settle, turn, type Turn } from './metacontroller.ts';
import { childKey, tenantKey } from './model-state.ts';
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
import { without } from './without.ts';

const phasesOf = (turns: readonly Turn[]): TenantPhase[] =>
  turns
    .map(({ answer }) => answer?.status.phase ?? 'Planned')
    .filter((phase, index, all) => phase !== all[index - 1]);

const writesOf = (turns: readonly Turn[]): string[] => turns.flatMap(({ writes }) => writes);

test('a new Tenant climbs phase by phase to Ready, with one write at most in each call', async () => {
  const world = newWorld();
  world.externalSecretsRuns = false;
  const turns: Turn[] = [];
  while (turns.length < 12) turns.push(await turn(world));
  assert.deepEqual(phasesOf(turns), tenantPhases.slice(0, tenantPhases.indexOf('CredentialProjected')));
  world.externalSecretsRuns = true;
  await turn(world);
  assert.equal(phasesOf(await settle(world)).at(-1), 'Ready');
  assert.deepEqual(writesOf(turns), [
    'tenants.claim',
    'credentials.write',
    'tenants.createRole',
    'tenants.createDatabase',
    'tenants.openDatabase',
    'tenants.installExtension',
  ]);
  assert.ok(secretLogsIn(world));
});

test('the phase is always recorded before the write that leads on from it', async () => {
  const world = newWorld();
  const announced: Record<string, TenantPhase> = {
    'tenants.claim': 'Planned',
    'credentials.write': 'Planned',
    'tenants.createRole': 'CredentialCreated',
    'tenants.createDatabase': 'RoleCreated',
    'tenants.openDatabase': 'RoleCreated',
    'tenants.installExtension': 'DatabaseCreated',
  };
  for (const { request, writes } of await settle(world)) {
    for (const write of writes) assert.equal(request.parent.status?.phase, announced[write], write);
  }
});

test('the first answer to a new Tenant only records where it stands', async () => {
  const world = newWorld();
  const { answer, writes } = await turn(world);
  assert.equal(answer?.status.phase, 'Planned');
  assert.deepEqual(writes, []);
  assert.equal(answer.resyncAfterSeconds, undefined);
});

test('one line is logged for each write of ours, and none at rest', async () => {
  const world = newWorld();
  await settle(world);
  assert.deepEqual(
    world.acts.map(({ subject, step, outcome }) => `${subject} ${step} ${outcome}`),
    [
      'shop/orders ClaimNames ok',
      'shop/orders WriteCredential ok',
      'shop/orders CreateRole ok',
      'shop/orders CreateDatabase ok',
      'shop/orders OpenDatabase ok',
      'shop/orders InstallExtension ok',
    ],
  );
  const acts = world.acts.length;
  for (let round = 0; round < 3; round += 1) await turn(world);
  assert.equal(world.acts.length, acts);
});

test('two answers at Ready are equal to the byte, also with hours between them', async () => {
  const world = await readyWorld();
  const first = await post(world, requestOf(world));
  world.advance(5 * 3600);
  const second = await post(world, requestOf(world));
  assert.equal(JSON.stringify(second), JSON.stringify(first));
  assert.ok(first.resyncAfterSeconds !== undefined && first.resyncAfterSeconds >= 300);
  assert.equal(first.children.length, 1);
});

test('no answer carries a password', async () => {
  const world = newWorld();
  const turns = await settle(world);
  const [password] = world.state.openbao.passwords;
  assert.ok(password !== undefined);
  const said = JSON.stringify([turns.map(({ answer }) => answer), world.acts]);
  assert.ok(!said.includes(password) && !said.includes('management-password'));
});

test('Delete takes everything away, from the application inwards, and says at each point what still exists', async () => {
  const world = await leavingWorld();
  const turns = await settle(world);
  assert.deepEqual(writesOf(turns), [
    'tenants.close',
    'tenants.tombstone',
    'tenants.dropDatabase',
    'tenants.dropRole',
    'credentials.delete',
    'tenants.release',
  ]);
  assert.deepEqual(phasesOf(turns), [
    'ExternalSecretCreated',
    'DatabaseCreated',
    'RoleCreated',
    'CredentialCreated',
    'Planned',
  ]);
  const { postgres, openbao, kubernetes } = world.state;
  assert.deepEqual(
    [
      postgres.rows,
      postgres.roles,
      postgres.databases,
      openbao.records,
      kubernetes.externalSecrets,
      kubernetes.tenants,
    ],
    [{}, {}, {}, {}, {}, {}],
  );
});

test('Retain marks the names, withdraws the ExternalSecret and keeps everything else', async () => {
  const world = await leavingWorld({ deletionPolicy: 'Retain' });
  const before = structuredClone(world.state);
  const turns = await settle(world);
  assert.deepEqual(writesOf(turns), ['tenants.retain']);
  assert.equal(world.state.postgres.rows['uid-tenant']?.state, 'Retained');
  assert.deepEqual(world.state.postgres.roles, before.postgres.roles);
  assert.deepEqual(world.state.postgres.databases, before.postgres.databases);
  assert.deepEqual(world.state.openbao, before.openbao);
  assert.equal(world.state.kubernetes.externalSecrets[childKey], undefined);
  assert.equal(world.state.kubernetes.tenants[tenantKey], undefined);
});

test('a policy that turns to Retain in the middle of a deletion undoes what was closed', async () => {
  const world = await leavingWorld();
  while (Object.values(world.state.postgres.databases)[0]?.name !== 'pto_drop_uid-tenant') await turn(world);
  editTenant(world, { deletionPolicy: 'Retain' });
  const turns = await settle(world);
  assert.deepEqual(writesOf(turns), ['tenants.reopenRetained']);
  const [database] = Object.values(world.state.postgres.databases);
  assert.equal(database?.name, 'shop_orders');
  assert.equal(database.allowConnections, true);
});

test('a Tenant that never got anywhere is let go at once', async () => {
  const world = newWorld();
  await turn(world);
  deleteTenant(world);
  const { answer, writes } = await turn(world);
  assert.equal(answer?.finalized, true);
  assert.deepEqual(writes, []);
});

test('a new rotation value makes one new password, and Ready comes back with it in the Secret', async () => {
  const world = await readyWorld();
  editTenant(world, { credentialRotation: 'spring' });
  const turns = await settle(world);
  assert.deepEqual(writesOf(turns), ['credentials.write', 'tenants.setPassword']);
  assert.equal(world.state.openbao.passwords.length, 2);
  assert.equal(world.state.kubernetes.secrets[childKey], world.state.openbao.passwords[1]);
  assert.ok(secretLogsIn(world));
});

test('a new endpoint of the Instance becomes a new record with the same password', async () => {
  const world = await readyWorld();
  const { instances } = world.state.kubernetes;
  const { main } = instances;
  assert.ok(main !== undefined);
  instances['main'] = { ...main, spec: { ...main.spec, port: 5433 } };
  assert.deepEqual(writesOf(await settle(world)), ['credentials.write']);
  assert.equal(world.state.openbao.passwords.length, 1);
  assert.equal(world.state.openbao.records['prod/shop/orders/uid-tenant']?.[1]?.record?.port, '5433');
});

test('a lost or lying status is rebuilt from the facts, without a write', async () => {
  for (const phase of [undefined, ...tenantPhases]) {
    const world = await readyWorld();
    const before = remainsOf(world);
    const live = world.state.kubernetes.tenants[tenantKey];
    assert.ok(live !== undefined);
    const rest = without(live, 'status');
    world.state.kubernetes.tenants[tenantKey] = phase === undefined ? rest : { ...rest, status: { phase } };
    assert.deepEqual(writesOf(await settle(world.restarted())), [], phase);
    assert.deepEqual(remainsOf(world), before, phase);
  }
});

test('a deleted ExternalSecret comes back, and Ready with it, without a write of ours', async () => {
  const world = await readyWorld();
  world.state.kubernetes.externalSecrets = {};
  const turns = await settle(world);
  assert.deepEqual(writesOf(turns), []);
  assert.ok(world.state.kubernetes.externalSecrets[childKey] !== undefined);
  assert.equal(readyOf(world.state.kubernetes.tenants[tenantKey]?.status ?? {}), 'True');
});

test('the world is looked at once, and once more after a write of ours', async () => {
  for (const point of await pointsOf(newWorld())) {
    const looks = point.calls.filter((call) => call === 'observe.tenant').length;
    assert.equal(looks, point.turn.writes.length === 0 ? 1 : 2, point.name);
  }
});
