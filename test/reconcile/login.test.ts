import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { always } from './gate.ts';
import { post, requestOf, settle, turn } from './metacontroller.ts';
import { tenantKey } from './model-state.ts';
import { checkSeconds, type ModelWorld } from './model-world.ts';
import { editTenant, newWorld, readyWorld, secretLogsIn } from './points.ts';

const loginsOf = ({ gate }: ModelWorld): number =>
  gate.calls.filter((call) => call === 'observe.session').length;

const roleOf = ({ state }: ModelWorld) => {
  const [role] = Object.values(state.postgres.roles);
  assert.ok(role !== undefined);
  return role;
};

const conditionOf = ({ state }: ModelWorld, type: string) =>
  state.kubernetes.tenants[tenantKey]?.status?.conditions?.find((condition) => condition.type === type);

const extensionsOf = ({ state }: ModelWorld) => state.kubernetes.tenants[tenantKey]?.status?.extensions;

/* The random part of the interval is 0.5 in the model world: the next check is due in the middle of it. */
const interval = (checkSeconds.min + checkSeconds.max) / 2;

test('a proven login is remembered until it is due again', async () => {
  const world = await readyWorld();
  const logins = loginsOf(world);
  for (let round = 0; round < 4; round += 1) await turn(world);
  assert.equal(loginsOf(world), logins);
  world.advance(interval);
  await turn(world);
  assert.equal(loginsOf(world), logins + 1);
  await turn(world);
  assert.equal(loginsOf(world), logins + 1);
});

test('after a restart the logins of Ready tenants are put off, spread over the interval', async () => {
  const world = (await readyWorld()).restarted();
  const { answer, statusChanged } = await turn(world);
  assert.equal(loginsOf(world), 0);
  assert.equal(statusChanged, false);
  assert.equal(answer?.status.phase, 'Ready');
  world.advance(checkSeconds.max / 2);
  await turn(world);
  assert.equal(loginsOf(world), 1);
});

test('after a restart nothing is put off where Ready is not recorded for this very wish', async () => {
  const notReady = (await readyWorld()).restarted();
  const { tenants } = notReady.state.kubernetes;
  const live = tenants[tenantKey];
  assert.ok(live !== undefined);
  tenants[tenantKey] = { ...live, status: { phase: 'Ready' } };
  await turn(notReady);
  assert.equal(loginsOf(notReady), 1);

  const edited = (await readyWorld()).restarted();
  editTenant(edited, { extensions: [{ name: 'hstore' }, { name: 'citext' }] });
  await turn(edited);
  assert.ok(loginsOf(edited) > 0);
});

test('after a restart an appended extension is installed at once, although Ready was concluded for it already', async () => {
  const world = await readyWorld();
  editTenant(world, { extensions: [{ name: 'hstore' }, { name: 'citext' }] });
  world.gate.faults = always(/^tenants\.installExtension/, {
    kind: 'fails',
    error: new Trouble('InstanceUnreachable', 'no route'),
  });
  for (let round = 0; round < 3; round += 1) await turn(world);
  const generation = world.state.kubernetes.tenants[tenantKey]?.metadata.generation;
  assert.equal(conditionOf(world, 'Ready')?.observedGeneration, generation);
  assert.equal(conditionOf(world, 'Reconciling')?.status, 'True');
  const restarted = world.restarted();
  restarted.gate.faults = () => undefined;
  await settle(restarted);
  assert.equal(extensionsOf(restarted)?.length, 2);
  assert.equal(conditionOf(restarted, 'Reconciling'), undefined);
});

test('a changed password is set again once, with the one that OpenBao has', async () => {
  const world = await readyWorld();
  roleOf(world).password = 'set by somebody else';
  world.advance(interval);
  const turns = await settle(world);
  assert.deepEqual(
    turns.flatMap(({ writes }) => writes),
    ['tenants.setPassword'],
  );
  assert.equal(world.state.openbao.passwords.length, 1);
  assert.ok(secretLogsIn(world));
});

test('a password that is refused although it was set again is not set once more before the next interval', async () => {
  const world = await readyWorld();
  world.advance(interval);
  world.gate.faults = (call) => {
    if (call === 'observe.session') roleOf(world).password = 'set by somebody else';
    return undefined;
  };
  const sets = () => world.gate.calls.filter((call) => call === 'tenants.setPassword').length;
  for (let round = 0; round < 12; round += 1) await turn(world);
  assert.equal(sets(), 1);
  const ready = conditionOf(world, 'Ready');
  assert.deepEqual([ready?.status, ready?.reason], ['False', 'PasswordRefused']);
  world.advance(interval);
  for (let round = 0; round < 4; round += 1) await turn(world);
  assert.equal(sets(), 2);
});

test('a tenant that locks its own catalog neither stops a rotation nor is looked at all the time', async () => {
  const world = await readyWorld();
  world.state.postgres.catalogLocked = true;
  editTenant(world, { credentialRotation: 'two', connectionLimit: 3 });
  await settle(world);
  assert.equal(world.state.openbao.passwords.length, 2);
  assert.equal(roleOf(world).connectionLimit, 3);
  assert.ok(secretLogsIn(world));
  const logins = loginsOf(world);
  world.advance(interval);
  for (let second = 0; second < 600; second += 4) {
    await post(world, requestOf(world));
    world.advance(4);
  }
  assert.ok(loginsOf(world) - logins < 20, 'each look costs its neighbours a backend');
});

test('a locked catalog holds up extensions before the application is in, and says so', async () => {
  const world = newWorld();
  world.state.postgres.catalogLocked = true;
  for (let round = 0; round < 20; round += 1) await turn(world);
  assert.equal(conditionOf(world, 'Ready')?.reason, 'LockHeld');
  world.state.postgres.catalogLocked = false;
  await settle(world);
});

test('an installation that fails is remembered for a while, and does not hold up the others', async () => {
  const world = await readyWorld({});
  const failing = new Trouble('ServerError', 'cannot load library');
  editTenant(world, { extensions: [{ name: 'hstore' }, { name: 'citext' }] });
  let tries = 0;
  world.gate.faults = (call) => {
    if (call !== 'tenants.installExtension') return undefined;
    tries += 1;
    return tries === 1 ? { kind: 'fails', error: failing } : undefined;
  };
  await settle(world);
  for (let round = 0; round < 3; round += 1) await turn(world);
  const installations = world.acts
    .filter(({ step }) => step === 'InstallExtension')
    .map(({ outcome }) => outcome);
  assert.deepEqual(installations, ['ServerError', 'ok']);
  assert.deepEqual(extensionsOf(world), [{ name: 'citext', version: '1.0' }]);
  assert.match(
    conditionOf(world, 'ExtensionsInstalled')?.message ?? '',
    /extension "hstore": cannot load library/,
  );
  assert.equal(conditionOf(world, 'Ready')?.status, 'True');
  world.advance(interval);
  for (let round = 0; round < 4; round += 1) await turn(world);
  assert.equal(extensionsOf(world)?.length, 2);
});

test('before the application is let in, an installation that fails holds up Ready', async () => {
  const world = newWorld();
  const error = new Trouble('ExtensionUnavailable', 'its control file is gone');
  world.gate.faults = always(/^tenants\.installExtension/, { kind: 'fails', error });
  for (let round = 0; round < 15; round += 1) await turn(world);
  assert.equal(world.acts.filter(({ step }) => step === 'InstallExtension').length, 1);
  assert.equal(conditionOf(world, 'Ready')?.status, 'False');
  assert.equal(conditionOf(world, 'Stalled')?.reason, 'ExtensionUnavailable');
  assert.deepEqual(world.state.kubernetes.externalSecrets, {});
  world.gate.faults = () => undefined;
  world.advance(interval);
  await settle(world);
  assert.equal(extensionsOf(world)?.length, 1);
});

test('an installation that could not be tried at all is tried again at once', async () => {
  const world = newWorld();
  let tries = 0;
  world.gate.faults = (call) => {
    if (call !== 'tenants.installExtension') return undefined;
    tries += 1;
    const error = new Trouble('InstanceUnreachable', 'no route');
    return tries <= 2 ? { kind: 'fails', error } : undefined;
  };
  await settle(world);
  assert.equal(tries, 3);
});

test('what was remembered of a Tenant goes with it', async () => {
  const world = await readyWorld({ deletionPolicy: 'Retain' });
  const { sessions } = world.context;
  const live = world.state.kubernetes.tenants[tenantKey];
  assert.ok(live !== undefined);
  assert.equal(sessions.mayDefer('uid-tenant', 'any other key'), false);
  live.metadata.deletionTimestamp = new Date(world.state.now).toISOString();
  await settle(world);
  assert.equal(sessions.mayDefer('uid-tenant', 'any other key'), true);
});
