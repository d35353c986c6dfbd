import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { installation } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { inPostgres, query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { recordsIn, resyncs, settled } from './stillness.ts';
import { confirm, look, ready, until, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
before(async () => {
  stage = await raise();
});
after(() => stage.close());

const pathOf = async (name: string): Promise<string> => {
  const { metadata } = (await look(stage, name)) ?? { metadata: { uid: '' } };
  return `${installation}/shop/${name}/${metadata.uid ?? ''}`;
};

/** What is lost is told with the way out; a drop that still runs shows itself as an interrupted one for a moment. */
const lost = async (name: string, reason: string) => {
  const held = await until(stage, name, `to say ${reason} and the way out`, (object) => {
    const ready = conditionOf(object, 'Ready');
    return ready?.status === 'False' && ready.reason === reason && ready.message.includes('confirm=');
  });
  assert.equal(conditionOf(held, 'Stalled')?.reason, reason);
  const condition = conditionOf(held, 'Ready');
  assert.ok(condition !== undefined);
  return condition;
};

test('A record that was deleted behind its back is not made again until a person says so', async () => {
  await ready(stage, 'record');
  const before = await secretOf(stage, 'record');
  await stage.world.kv.deleteMetadata(await pathOf('record'));
  const condition = await lost('record', 'CredentialLost');
  await resyncs(stage, ['record'], 2);
  assert.equal(await stage.world.kv.metadata(await pathOf('record')), undefined);
  // What the application has goes on working.
  assert.deepEqual(await query(before, 'select 1 as one'), [{ one: 1 }]);
  await confirm(stage, 'record', tokenIn(condition));
  await untilReady(stage, 'record');
  const now = await secretOf(stage, 'record');
  assert.notEqual(now['password'], before['password']);
  assert.deepEqual(await query(now, 'select 1 as one'), [{ one: 1 }]);
  await assert.rejects(query(before, 'select 1'), { code: '28P01' });
});

test('The version of a record that was deleted is waited for: undeleted, the password stays', async () => {
  await ready(stage, 'undelete');
  const before = await secretOf(stage, 'undelete');
  const path = await pathOf('undelete');
  await stage.world.kv.softDelete(path);
  await lost('undelete', 'CredentialLost');
  const { root } = stage.world.openBao;
  const undeleted = await fetch(`${root.url}/v1/${stage.world.kvSetUp.mount}/undelete/${path}`, {
    method: 'POST',
    headers: { 'x-vault-token': root.token },
    body: JSON.stringify({ versions: [1] }),
  });
  assert.equal(undeleted.status, 204);
  await untilReady(stage, 'undelete');
  assert.deepEqual(await secretOf(stage, 'undelete'), before);
});

test('A dropped database is not made again until a person says so, and each loss needs its own word', async () => {
  await ready(stage, 'dropped');
  const secret = await secretOf(stage, 'dropped');
  const { database: first } = await inPostgres(stage, 'shop_dropped');
  await sql(stage, 'drop database shop_dropped with (force)');
  const token = tokenIn(await lost('dropped', 'DatabaseLost'));
  await resyncs(stage, ['dropped'], 2);
  assert.equal((await inPostgres(stage, 'shop_dropped')).database, undefined);
  await confirm(stage, 'dropped', token);
  await untilReady(stage, 'dropped');
  const { database: second } = await inPostgres(stage, 'shop_dropped');
  assert.notEqual(second, first);
  assert.deepEqual(await query(secret, 'select 1 as one'), [{ one: 1 }]);
  // The annotation is still there, and says nothing about the next loss.
  await sql(stage, 'drop database shop_dropped with (force)');
  assert.notEqual(tokenIn(await lost('dropped', 'DatabaseLost')), token);
  await resyncs(stage, ['dropped'], 2);
  assert.equal((await inPostgres(stage, 'shop_dropped')).database, undefined);
});

test('A database that an administrator restored under its name and owner is taken as the registered one', async () => {
  await ready(stage, 'restored');
  const secret = await secretOf(stage, 'restored');
  await sql(stage, 'drop database shop_restored with (force)');
  await lost('restored', 'DatabaseLost');
  await sql(stage, 'create database shop_restored owner shop_restored');
  await untilReady(stage, 'restored');
  await settled(stage, 'restored');
  const { database } = await inPostgres(stage, 'shop_restored');
  const [row] = await sql(
    stage,
    "select database_oid::text as oid from pgtenancy.tenant where database_name = 'shop_restored'",
  );
  assert.deepEqual(row, { oid: database });
  assert.deepEqual(await query(secret, 'select 1 as one'), [{ one: 1 }]);
  const acl =
    "select from pg_catalog.pg_database, pg_catalog.aclexplode(datacl) as acl where datname = 'shop_restored' and acl.grantee = 0";
  assert.deepEqual(await sql(stage, acl), []);
});

test('A database of the name that belongs to another role is a Conflict, and stays as it is', async () => {
  await ready(stage, 'usurped');
  await sql(stage, 'drop database shop_usurped with (force)');
  await sql(stage, 'create database shop_usurped');
  await until(
    stage,
    'usurped',
    'to be a Conflict',
    (object) => conditionOf(object, 'Ready')?.reason === 'Conflict',
  );
  await resyncs(stage, ['usurped'], 2);
  const [row] = await sql(
    stage,
    "select datdba::regrole::text as owner from pg_catalog.pg_database where datname = 'shop_usurped'",
  );
  assert.deepEqual(row, { owner: 'postgres' });
});

test('A dropped role is made again with the password that the application has', async () => {
  await ready(stage, 'rolegone');
  const secret = await secretOf(stage, 'rolegone');
  await sql(
    stage,
    'alter database shop_rolegone owner to pgtenancy_admin; drop owned by shop_rolegone; drop role shop_rolegone',
  );
  await until(
    stage,
    'rolegone',
    'to stand still',
    (object) => conditionOf(object, 'Ready')?.status === 'False',
  );
  await untilReady(stage, 'rolegone');
  assert.deepEqual(await query(secret, 'select 1 as one'), [{ one: 1 }]);
});

test('A lost registry row is told, and nothing that bears the names is claimed again', async () => {
  await ready(stage, 'row');
  await sql(stage, "delete from pgtenancy.tenant where database_name = 'shop_row'");
  const held = await untilCondition(stage, 'row', 'Ready', { status: 'False', reason: 'RegistryLost' });
  const condition = conditionOf(held, 'Ready');
  assert.ok(condition !== undefined);
  assert.match(condition.message, /not free: database "shop_row" exists, role "shop_row" exists; /);
  assert.doesNotMatch(condition.message, /confirm=/);
  await confirm(stage, 'row', '0123456789');
  await resyncs(stage, ['row'], 2);
  assert.deepEqual(conditionOf(await look(stage, 'row'), 'Ready'), condition);
  assert.equal((await inPostgres(stage, 'shop_row')).row, undefined);
  assert.equal(Object.keys(await recordsIn(stage)).filter((path) => path.includes('/row/')).length, 1);
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
