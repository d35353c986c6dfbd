import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type pg from 'pg';

import { tenants } from '../world/kubernetes/resources.ts';
import { connectedClient } from '../world/servers/connected-client.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { pgHost } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf } from './conditions.ts';
import { interrupting, remainsOf, type Remains, untilGone } from './descents.ts';
import { query, secretOf, sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { ready, remove, untilCondition } from './tenants.ts';

let stage: Stage;
before(async () => {
  const postgres = {
    max_prepared_transactions: '4',
    wal_level: 'logical',
    max_replication_slots: '4',
    max_wal_senders: '4',
  };
  stage = await raise({ postgres });
});
after(() => stage.close());

const nothing = { child: false, database: 'gone', role: false, record: false, row: undefined };
const leaving = { deletionPolicy: 'Delete' };

/** Asks for the deletion and waits until it is blocked; nothing was taken away by then. Gives the message. */
async function blocked(name: string): Promise<string> {
  await stage.kube.delete(tenants, name, 'shop');
  const held = await untilCondition(stage, name, 'Ready', { status: 'False', reason: 'DeletionBlocked' });
  assert.equal(conditionOf(held, 'Stalled')?.status, 'True');
  const { database, child, row } = await remainsOf(stage, name);
  assert.deepEqual([database, child, row], ['open', true, 'Active']);
  assert.deepEqual(await query(await secretOf(stage, name), 'select 1 as one'), [{ one: 1 }]);
  return conditionOf(held, 'Ready')?.message ?? '';
}

async function goes(name: string): Promise<void> {
  await untilGone(stage, name);
  assert.deepEqual(await remainsOf(stage, name), nothing);
}

test('A prepared transaction holds a deletion up before anything is destroyed, and is named', async () => {
  await ready(stage, 'prepared', leaving);
  const secret = await secretOf(stage, 'prepared');
  await query(secret, "begin; create table public.half (n int); prepare transaction 'half done'");
  assert.match(
    await blocked('prepared'),
    /^nothing is deleted while there are prepared transactions \(half done\): commit them or roll them back\. To keep/,
  );
  await query(secret, "rollback prepared 'half done'");
  await goes('prepared');
});

test('A subscription holds a deletion up before anything is destroyed, and is named', async () => {
  await ready(stage, 'subscribed', leaving);
  const database = 'shop_subscribed';
  await sql(
    stage,
    "create subscription orders_in connection 'host=nowhere' publication p with (connect = false, slot_name = none)",
    { database },
  );
  assert.match(
    await blocked('subscribed'),
    /while there are subscriptions \(orders_in\): drop them\. To keep/,
  );
  await sql(stage, 'drop subscription orders_in', { database });
  await goes('subscribed');
});

/** A session of the superuser in a database; ends with the test. */
async function superuser(database: string, more: object = {}): Promise<pg.Client> {
  const { host, port, superuser: login } = stage.world.postgres;
  const { name: user, password } = login;
  const ssl = { ca: stage.world.ca, servername: pgHost };
  return connectedClient({ host, port, user, password, database, ssl, ...more });
}

test('A replication slot that somebody reads from holds a deletion up before anything is destroyed, and is named', async () => {
  await ready(stage, 'sliced', leaving);
  const database = 'shop_sliced';
  await sql(stage, 'create publication outgoing for all tables', { database });
  await sql(stage, "select pg_catalog.pg_create_logical_replication_slot('orders_out', 'pgoutput')", {
    database,
  });
  const reader = await superuser(database, { replication: 'database' });
  const options = `("proto_version" '1', "publication_names" 'outgoing')`;
  // The replication grammar knows capitals only.
  reader.query(`START_REPLICATION SLOT orders_out LOGICAL 0/0 ${options}`).catch(() => undefined);
  const active = "select from pg_catalog.pg_replication_slots where slot_name = 'orders_out' and active";
  await waitFor('the reader', async () => (await sql(stage, active)).length > 0);
  assert.match(
    await blocked('sliced'),
    /while there are active replication slots \(orders_out\): stop whoever reads from them\. To keep/,
  );
  await sql(
    stage,
    "select pg_catalog.pg_terminate_backend(active_pid) from pg_catalog.pg_replication_slots where slot_name = 'orders_out'",
  );
  // The slot itself, without a reader, goes with the database.
  await goes('sliced');
  assert.deepEqual(await sql(stage, 'select from pg_catalog.pg_replication_slots'), []);
  await reader.end().catch(() => undefined);
});

test('Twenty clients that connect again and again do not hold a deletion up', async () => {
  await ready(stage, 'busy', leaving);
  const secret = await secretOf(stage, 'busy');
  let going = true;
  let connected = 0;
  const clients = Array.from({ length: 20 }, async () => {
    while (going) {
      const failed = await query(secret, 'select pg_catalog.pg_sleep(0.2)').then(
        () => false,
        () => true,
      );
      if (!failed) connected += 1;
      await sleep(20);
    }
  });
  try {
    await waitFor('all of them to have been there', () => connected >= 20, { timeoutMs: 90_000 });
    await remove(stage, 'busy');
  } finally {
    going = false;
    await Promise.all(clients);
  }
  await goes('busy');
});

const oddities: readonly (readonly [what: string, name: string, statement: string])[] = [
  ['is a template', 'template', 'alter database shop_template with is_template true'],
  ['lets nobody connect', 'limited', 'alter database shop_limited with connection limit 0'],
  [
    'a drop has left unusable',
    'invalid',
    "update pg_catalog.pg_database set datconnlimit = -2 where datname = 'shop_invalid'",
  ],
  ['refuses connections', 'refusing', 'alter database shop_refusing with allow_connections false'],
  ['has settings of its own', 'settings', 'alter database shop_settings set search_path to nowhere'],
];

for (const [what, name, statement] of oddities) {
  test(`A database that ${what} is deleted like any other`, async () => {
    await ready(stage, name, leaving);
    // On the way down: what the operator would put right by itself before is not what is tried here.
    const withdrawn = ({ child }: Remains): boolean => !child;
    await interrupting(stage, name, withdrawn, () => sql(stage, statement));
    await goes(name);
  });
}

test('A session of a superuser in the database, which the operator may not end, is named until somebody ends it', async () => {
  await ready(stage, 'visited', leaving);
  const visitor = await superuser('shop_visited');
  await stage.kube.delete(tenants, 'visited', 'shop');
  const held = await untilCondition(stage, 'visited', 'Ready', {
    status: 'False',
    reason: 'DeletionBlocked',
  });
  assert.match(conditionOf(held, 'Ready')?.message ?? '', /postgres/);
  await visitor.end();
  await goes('visited');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
