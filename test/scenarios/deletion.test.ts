import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { asApplication } from '../demo/use-credential.ts';
import { externalSecrets, instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { actsIn, phaseOfStep, recordedPhase } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { instance, untilInstance, untilInstanceReady } from './instances.ts';
import { inPostgres, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, settled, tracesIn } from './stillness.ts';
import { apply, confirm, ready, remove, tenant, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

/** Paths of the records of a Tenant. */
const recordsOf = async (name: string): Promise<string[]> =>
  Object.keys(await recordsIn(stage)).filter((path) => path.startsWith(`demo/${name}/`));

/** ExternalSecret and Secret; the Secret follows by garbage collection, a moment later. */
const withoutSecret = (name: string, namespace = 'shop'): Promise<true> =>
  waitFor(`the Secret of ${namespace}/${name} to go`, async () => {
    const found = await Promise.all([
      stage.kube.get(externalSecrets, `${name}-postgresql`, namespace),
      stage.kube.get(secrets, `${name}-postgresql`, namespace),
    ]);
    return found.every((object) => object === undefined);
  });

test('Retain keeps database, role and record, reserves the names and withdraws the Secret', async () => {
  await ready(stage, 'kept');
  const secret = await secretOf(stage, 'kept');
  await query(secret, 'create table public.precious as select 1 as one');
  const before = await inPostgres(stage, 'shop_kept');
  await remove(stage, 'kept');
  await withoutSecret('kept');
  assert.deepEqual(await inPostgres(stage, 'shop_kept'), { ...before, row: 'Retained' });
  assert.equal((await recordsOf('shop/kept')).length, 1);
  assert.deepEqual(await query(secret, 'select one from public.precious'), [{ one: 1 }]);
});

test('A Tenant that comes with a retained name is a Conflict that names the holder, and leaves no trace', async () => {
  const before = await tracesIn(stage);
  await apply(stage, tenant('kept', { deletionPolicy: 'Delete' }));
  const held = await untilCondition(stage, 'kept', 'Ready', { status: 'False', reason: 'Conflict' });
  assert.match(conditionOf(held, 'Ready')?.message ?? '', /"shop_kept" is retained for Tenant shop\/kept/);
  assert.equal(conditionOf(held, 'Stalled')?.status, 'True');
  await remove(stage, 'kept');
  const { transactions, records } = await tracesIn(stage);
  assert.deepEqual({ transactions, records }, { transactions: before.transactions, records: before.records });
});

test('What was retained comes back with its data: a DBA hands the row over, a person confirms a new password', async () => {
  await ready(stage, 'back');
  await query(await secretOf(stage, 'back'), 'create table public.precious as select 1 as one');
  await remove(stage, 'back');
  await withoutSecret('back');
  await apply(stage, tenant('back'));
  const held = await untilCondition(stage, 'back', 'Ready', { status: 'False', reason: 'Conflict' });
  const statement = /(update pgtenancy\.tenant set [^;]+)/.exec(
    conditionOf(held, 'Ready')?.message ?? '',
  )?.[1];
  assert.ok(statement !== undefined);
  await sql(stage, statement.replace(/, or ask.*$/, ''));
  const lost = await untilCondition(stage, 'back', 'Ready', { status: 'False', reason: 'CredentialLost' });
  await confirm(stage, 'back', tokenIn(conditionOf(lost, 'Ready') ?? assert.fail()));
  await untilReady(stage, 'back');
  assert.deepEqual(await query(await secretOf(stage, 'back'), 'select one from public.precious'), [
    { one: 1 },
  ]);
});

test('Delete goes down step by step, each announced by its phase, and leaves nothing anywhere', async () => {
  await ready(stage, 'gone', { deletionPolicy: 'Delete' });
  const secret = await secretOf(stage, 'gone');
  // The application stays connected: its session is ended for it.
  await asApplication(secret, async (client) => {
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.query('create table public.precious as select 1 as one');
    await remove(stage, 'gone');
    await ended;
  });
  const phases = await stage.recorder.phasesOf('gone');
  assert.deepEqual(phases.slice(phases.indexOf('Ready') + 1), [
    'ExternalSecretCreated',
    'DatabaseCreated',
    'RoleCreated',
    'CredentialCreated',
    'Planned',
    'gone',
  ]);
  const acts = actsIn(stage.world.hook.log(), 'gone');
  const descent = acts.slice(acts.findIndex(({ step }) => step === 'CloseDatabase'));
  assert.deepEqual(
    descent.map(({ step, outcome }) => `${step} ${outcome}`),
    [
      'CloseDatabase ok',
      'TombstoneDatabase ok',
      'DropDatabase ok',
      'DropRole ok',
      'DeleteCredential ok',
      'ReleaseNames ok',
    ],
  );
  for (const act of descent) {
    assert.equal(recordedPhase(stage.calls, 'gone', act), phaseOfStep[act.step], act.step);
  }
  await withoutSecret('gone');
  assert.deepEqual(await inPostgres(stage, 'shop_gone'), {});
  assert.deepEqual(await recordsOf('shop/gone'), []);
  const tombs = await sql(stage, "select 1 from pg_catalog.pg_database where datname like 'pto%'");
  assert.deepEqual(tombs, []);
  await assert.rejects(query(secret, 'select 1'));
});

test('A name is free again after Delete: a new Tenant of the same name gets a new, empty database', async () => {
  await ready(stage, 'again', { deletionPolicy: 'Delete' });
  const first = await secretOf(stage, 'again');
  await query(first, 'create table public.precious as select 1 as one');
  await remove(stage, 'again');
  await ready(stage, 'again');
  const second = await secretOf(stage, 'again');
  assert.notEqual(second['password'], first['password']);
  await assert.rejects(query(second, 'select one from public.precious'), { code: '42P01' });
});

test('Of two Tenants that want one name, one is Ready and the other a Conflict, whose deletion touches nothing', async () => {
  const names = ['shop/first', 'blog/second'];
  const spec = { databaseName: 'wanted', deletionPolicy: 'Delete' };
  await apply(stage, ...names.map((name) => tenant(name, spec)));
  const conflict = { status: 'False', reason: 'Conflict' };
  const loser = await Promise.any(
    names.map(async (name) => {
      await untilCondition(stage, name, 'Ready', conflict);
      return name;
    }),
  );
  const winner = names.find((name) => name !== loser) ?? '';
  await untilReady(stage, winner);
  const said = conditionOf(await untilCondition(stage, loser, 'CredentialCreated', conflict), 'Ready');
  assert.match(said?.message ?? '', new RegExp(`"wanted" belongs to Tenant ${winner} `));
  assert.deepEqual(await recordsOf(loser), []);
  await settled(stage, winner);
  const before = await tracesIn(stage);
  await remove(stage, loser);
  const { transactions, records } = await tracesIn(stage);
  assert.deepEqual({ transactions, records }, { transactions: before.transactions, records: before.records });
  assert.deepEqual(await query(await secretOf(stage, winner), 'select 1 as one'), [{ one: 1 }]);
});

test('Delete stops before the first thing is destroyed while something else depends on the role', async () => {
  await ready(stage, 'tied', { deletionPolicy: 'Delete' });
  await sql(stage, 'create database elsewhere');
  await sql(stage, 'create table public.theirs (); alter table public.theirs owner to shop_tied', {
    database: 'elsewhere',
  });
  await stage.kube.delete(tenants, 'tied', 'shop');
  const blocked = await untilCondition(stage, 'tied', 'Ready', {
    status: 'False',
    reason: 'DeletionBlocked',
  });
  assert.match(conditionOf(blocked, 'Ready')?.message ?? '', /elsewhere/);
  assert.deepEqual(await query(await secretOf(stage, 'tied'), 'select 1 as one'), [{ one: 1 }]);
  await sql(stage, 'drop database elsewhere with (force)');
  await waitFor(
    'the Tenant to go',
    async () => Object.keys(await inPostgres(stage, 'shop_tied')).length === 0,
    {
      timeoutMs: 90_000,
    },
  );
});

test('An Instance stays while Tenants live on it, says how many and which, and goes after the last one', async () => {
  const { port } = stage.world.postgres;
  await apply(stage, instance('pg-second', port));
  await untilInstanceReady(stage.kube, 'pg-second');
  const spec = { instanceRef: { name: 'pg-second' }, deletionPolicy: 'Delete' };
  await Promise.all([ready(stage, 'one', spec), ready(stage, 'two', spec)]);
  await stage.kube.delete(instances, 'pg-second');
  const held = await untilInstance(stage.kube, 'pg-second', { status: 'False', reason: 'TenantsExist' });
  const message = conditionOf(held, 'Ready')?.message ?? '';
  assert.match(message, /^2 Tenants live on this Instance: shop\/one, shop\/two;/);
  // It goes on serving them, and takes no new one.
  assert.deepEqual(await query(await secretOf(stage, 'one'), 'select 1 as one'), [{ one: 1 }]);
  await apply(stage, tenant('three', spec));
  await untilCondition(stage, 'three', 'Ready', { status: 'False', reason: 'InstanceTerminating' });
  await Promise.all([remove(stage, 'one'), remove(stage, 'two'), remove(stage, 'three')]);
  const gone = async (): Promise<boolean> => (await stage.kube.get(instances, 'pg-second')) === undefined;
  await waitFor('the Instance to go', gone, { timeoutMs: 90_000 });
  const rows = await sql(stage, 'select instance_uid from pgtenancy.instance');
  assert.equal(rows.length, 1);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
