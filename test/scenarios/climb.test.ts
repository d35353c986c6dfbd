import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { assertClimbed } from './recorder.ts';
import { actsIn, phaseOfStep, recordedPhase } from './acts.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, conditionsOf } from './conditions.ts';
import { asTenant, inPostgres, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { resyncs, settled, syncsOf, tracesIn } from './stillness.ts';
import { apply, ready, tenant, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const extensions = [{ name: 'citext' }, { name: 'pgcrypto', schema: 'crypto' }];

test('A Tenant climbs the phases in their order, and each is recorded before the step that follows it', async () => {
  await ready(stage, 'orders', { extensions });
  assertClimbed(await stage.recorder.phasesOf('orders'));
  const acts = actsIn(stage.world.hook.log(), 'orders');
  assert.deepEqual(
    acts.map(({ step, outcome }) => `${step} ${outcome}`),
    [
      'ClaimNames ok',
      'WriteCredential ok',
      'CreateRole ok',
      'CreateDatabase ok',
      'OpenDatabase ok',
      'InstallExtension ok',
      'InstallExtension ok',
    ],
  );
  for (const act of acts) {
    assert.equal(recordedPhase(stage.calls, 'orders', act), phaseOfStep[act.step], act.step);
  }
});

test('A Ready Tenant has every condition True and names all that an application needs', async () => {
  const { status } = await untilReady(stage, 'orders');
  const conditions = conditionsOf({ status } as never);
  assert.deepEqual(
    conditions.map(({ type, status: said }) => `${type} ${said}`),
    [
      'CredentialCreated True',
      'RoleCreated True',
      'DatabaseCreated True',
      'ExtensionsInstalled True',
      'ExternalSecretCreated True',
      'CredentialProjected True',
      'Ready True',
    ],
  );
  assert.deepEqual(status?.['secretRef'], { name: 'orders-postgresql' });
  assert.deepEqual(status['endpoint'], {
    host: 'pg-main.example.internal',
    hostAddress: '127.0.0.1',
    port: stage.world.postgres.port,
  });
  assert.equal(status['databaseName'], 'shop_orders');
  assert.equal((status['credential'] as { version: number }).version, 1);
});

test('An application logs in with exactly what the Secret says, over verify-full', async () => {
  const secret = await secretOf(stage, 'orders');
  assert.equal(secret['sslmode'], 'verify-full');
  const uri = new URL(secret['uri'] ?? '');
  assert.deepEqual(
    [uri.username, uri.password, uri.port, uri.pathname],
    [secret['username'], secret['password'], secret['port'], `/${secret['database'] ?? ''}`],
  );
  const [row] = await query<{ who: string; secure: boolean }>(
    secret,
    'select current_user as who, (select ssl from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()) as secure',
  );
  assert.deepEqual(row, { who: 'shop_orders', secure: true });
});

test('An application is refused by its own TLS library when the CA is another one', async () => {
  const secret = await secretOf(stage, 'orders');
  await assert.rejects(query({ ...secret, host: 'pg-other.example.internal' }, 'select 1'), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('An application may create tables in public, and finds its extensions there', async () => {
  await asTenant(stage, 'orders', 'create table public.item (id uuid primary key, name citext not null)');
  await asTenant(stage, 'orders', "insert into public.item values (gen_random_uuid(), 'a table')");
  const found = await asTenant<{ found: string }>(
    stage,
    'orders',
    `select e.extname || ' in ' || n.nspname as found from pg_catalog.pg_extension e
     join pg_catalog.pg_namespace n on n.oid = e.extnamespace where extname <> 'plpgsql' order by 1`,
  );
  assert.deepEqual(
    found.map((row) => row.found),
    ['citext in public', 'pgcrypto in crypto'],
  );
});

test('At rest every answer is the same as the one before, and nothing is written anywhere', async () => {
  await settled(stage, 'orders');
  const traces = await tracesIn(stage);
  const answered = syncsOf(stage, 'orders').length;
  await resyncs(stage, ['orders'], 4);
  assert.deepEqual(await tracesIn(stage), traces);
  const [first, ...others] = syncsOf(stage, 'orders')
    .slice(answered - 1)
    .map(({ response }) => response);
  for (const other of others) assert.deepEqual(other, first);
  const sessions = await sql(
    stage,
    "select 1 from pg_catalog.pg_stat_activity where datname = 'shop_orders'",
  );
  assert.deepEqual(sessions, []);
});

test('Three Tenants at once become Ready side by side, and none can enter the database of another', async () => {
  const names = ['red', 'green', 'blue'];
  await apply(stage, ...names.map((name) => tenant(name)));
  for (const name of names) {
    await untilReady(stage, name);
    assertClimbed(await stage.recorder.phasesOf(name));
  }
  const secret = await secretOf(stage, 'red');
  for (const other of ['shop_green', 'shop_blue', 'shop_orders']) {
    await assert.rejects(query({ ...secret, database: other }, 'select 1'), { code: '42501' });
  }
  await assert.rejects(query({ ...secret, database: 'pgtenancy' }, 'select * from pgtenancy.tenant'), {
    code: '42501',
  });
  assert.deepEqual(Object.keys(await inPostgres(stage, 'shop_red')).sort(), ['database', 'role', 'row']);
});

test('No phase, condition, log line, answer or metric shows a password or a token', async () => {
  assert.equal(conditionOf(await untilReady(stage, 'orders'), 'Ready')?.reason, 'Reached');
  await assertNothingLeaked(stage);
});
