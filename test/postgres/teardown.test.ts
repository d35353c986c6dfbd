import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
import { describeAsEach, type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describeAsEach('taking a tenant away', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({
      role,
      settings: { max_prepared_transactions: '4', wal_level: 'logical', max_replication_slots: '4' },
    });
  });
  after(() => live.close());

  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };

  it('works while five clients connect again and again', async () => {
    const tenant = await opened();
    const clients = Array.from({ length: 5 }, () => reconnect(tenant));
    await clients[0]?.connected;
    try {
      await tenant.remove();
    } finally {
      await Promise.all(clients.map((client) => client.stop()));
    }
    const seen = await tenant.observe();
    assert.equal(seen.row, null);
    assert.deepEqual(seen.database, { registered: null, named: null, tombstone: null });
  });

  it('leaves no session of the role behind', async () => {
    const tenant = await opened();
    const elsewhere = await live.connect({ user: tenant.roleName, password: tenant.password.reveal() });
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    await waitFor('the end of the session', async () => {
      const rows = await live.admin('select from pg_stat_activity where usename = $1', [tenant.roleName]);
      return rows.length === 0;
    });
    await elsewhere.end();
  });

  it('is not begun out of order: open databases are not moved, existing ones not forgotten', async () => {
    const tenant = await opened();
    const refused = { reason: 'StaleDecision' };
    await assert.rejects(async () => tenant.steps.tombstone(await tenant.handle()), refused);
    await assert.rejects(async () => tenant.steps.dropRole(await tenant.handle()), refused);
    await assert.rejects(async () => tenant.steps.release(await tenant.handle()), refused);
    await tenant.steps.dropDatabase(await tenant.handle());
    assert.equal((await tenant.session()).kind, 'proven');
  });

  it('never drops what is not the registered database, even under the tombstone name', async () => {
    const tenant = await opened();
    const name = `pto_drop_${tenant.uid.replaceAll('-', '_')}`;
    await live.admin(`create database ${name}`);
    await assert.rejects(async () => tenant.steps.dropDatabase(await tenant.handle()), {
      reason: 'Conflict',
    });
    assert.equal((await tenant.observe()).database.tombstone?.name, name);
    await live.admin(`drop database ${name}`);
  });

  it('takes a database that was created and never opened', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createDatabase();
    await tenant.remove();
    assert.equal((await tenant.observe()).row, null);
  });

  it('drops a database again whose drop was interrupted, and alters it nowhere', async () => {
    const tenant = await opened();
    await live.admin('update pg_database set datconnlimit = -2 where datname = $1', [tenant.databaseName]);
    assert.equal((await tenant.observe()).database.registered?.connectionLimit, -2);
    await assert.rejects(async () => tenant.steps.openDatabase(await tenant.handle()), {
      reason: 'DatabaseLost',
    });
    await tenant.remove();
    assert.equal((await tenant.observe()).row, null);
  });

  it('names what would be in the way before anything is destroyed', async () => {
    const tenant = await opened();
    const { roleName: role, databaseName: name } = tenant;
    const none = { dependencies: [], preparedTransactions: [], subscriptions: [], activeSlots: [] };
    // An idle slot is dropped together with its database. Made first: it waits for open transactions.
    await live.admin(`select pg_create_logical_replication_slot('idle_slot', 'pgoutput')`, [], name);
    const owner = await tenant.connect();
    await owner.query('create table t (n int)');
    assert.deepEqual(await live.server.observe.blockers(await tenant.handle()), none);

    await live.admin('create database other');
    await live.admin(
      `create table a (n int); create table b (n int);
      alter table a owner to ${role}; alter table b owner to ${role}`,
      [],
      'other',
    );
    await live.admin(`grant connect on database other to ${role}`);
    await owner.query(`begin; insert into t values (1); prepare transaction 'half done'`);
    await owner.end();
    await live.admin(
      `create subscription waiting connection 'host=nowhere' publication p with (connect = false, slot_name = none)`,
      [],
      name,
    );
    const seen = await live.server.observe.blockers(await tenant.handle());
    assert.deepEqual(seen, {
      dependencies: ['2 objects in database other'],
      preparedTransactions: ['half done'],
      subscriptions: ['waiting'],
      activeSlots: [],
    });

    await tenant.steps.close(await tenant.handle());
    await assert.rejects(async () => tenant.steps.tombstone(await tenant.handle()), {
      reason: 'DeletionBlocked',
      message: new RegExp(`^database "${name}" is in use`),
    });
    await live.admin(`alter database ${name} allow_connections true`);
    await live.admin(`rollback prepared 'half done'`, [], name);
    await live.admin('alter subscription waiting disable', [], name);
    await live.admin('drop subscription waiting', [], name);
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    await tenant.steps.dropDatabase(await tenant.handle());
    await assert.rejects(async () => tenant.steps.dropRole(await tenant.handle()), {
      reason: 'DeletionBlocked',
      message: new RegExp(
        `^role "${role}" still has 2 objects in database other; .*: drop owned by "?${role}`,
      ),
    });
    await live.admin('drop database other');
    await tenant.steps.dropRole(await tenant.handle());
    await tenant.steps.release(await tenant.handle());
  });
});

describe('long lists of what is in the way', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ settings: { wal_level: 'logical' } });
  });
  after(() => live.close());

  it('are cut short, with the number of the others', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    const { roleName: role, databaseName: name } = tenant;
    const settings = await live.admin<{ name: string }>(
      `select name from pg_settings where context = 'user' and name !~ '\\.' order by name limit 23`,
    );
    const parameters = settings.map((setting) => setting.name).join(', ');
    await live.admin(`grant set on parameter ${parameters} to ${role}`);
    for (let index = 10; index < 32; index += 1) {
      await live.admin(
        `create subscription s${index} connection 'host=nowhere' publication p with (connect = false, slot_name = none)`,
        [],
        name,
      );
    }
    const seen = await live.server.observe.blockers(await tenant.handle());
    assert.equal(seen.dependencies.length, 21);
    assert.match(seen.dependencies[0] ?? '', /^privileges for parameter /);
    assert.equal(seen.dependencies.at(-1), 'and 3 more');
    assert.deepEqual(seen.subscriptions.slice(-2), ['s29', 'and 2 more']);

    await live.admin('update pg_subscription set subdbid = 1');
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    await tenant.steps.dropDatabase(await tenant.handle());
    await assert.rejects(async () => tenant.steps.dropRole(await tenant.handle()), {
      reason: 'DeletionBlocked',
      message:
        /^role "\w+" still has (?:privileges for parameter \w+; ){5}and 18 more; a database administrator runs there: /,
    });
  });
});

describeAsEach('a deletion that turns into retention', (role) => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role });
  });
  after(() => live.close());

  for (const depth of ['close', 'tombstone'] as const) {
    it(`is undone after ${depth}, marked, and works again`, async () => {
      const tenant = new LiveTenant(live);
      await tenant.open();
      await tenant.steps.close(await tenant.handle());
      if (depth === 'tombstone') await tenant.steps.tombstone(await tenant.handle());
      await tenant.steps.reopenRetained(await tenant.handle());
      await tenant.steps.reopenRetained(await tenant.handle());
      const { row, database } = await tenant.observe();
      assert.equal(row?.state, 'Retained');
      assert.equal(database.registered?.name, tenant.databaseName);
      assert.equal((await tenant.session()).kind, 'proven');
      await assert.rejects(new LiveTenant(live, tenant.databaseName).claim(), {
        reason: 'Conflict',
        message: /Retained\)$/,
      });
    });
  }

  it('registers the database that is kept, also one that was never opened', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createDatabase();
    await tenant.steps.retain(await tenant.handle());
    const { row, database } = await tenant.observe();
    assert.equal(row?.state, 'Retained');
    assert.ok(database.registered !== null && row.databaseOid === database.registered.oid);
    await tenant.steps.retain(await tenant.handle());
    assert.deepEqual((await tenant.observe()).row, row);
  });

  it('is a new decision each time: what was decided before the newest mark is refused', async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    await tenant.steps.retain(await tenant.handle());
    await live.admin(`update pgtenancy.tenant set retained_at = retained_at - interval '1 hour'`);
    const before = await tenant.handle();
    await tenant.steps.retain(before);
    await assert.rejects(tenant.steps.close(before), { reason: 'StaleDecision' });
  });

  it('never opens a database to PUBLIC that had not been opened before', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createDatabase();
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    await tenant.steps.reopenRetained(await tenant.handle());
    const { registered } = (await tenant.observe()).database;
    assert.equal(registered?.allowConnections, true);
    assert.equal(registered.publicConnect, false);
  });
});

/** Connects, stays for a moment, and starts over until it is stopped. */
function reconnect(tenant: LiveTenant) {
  const first = Promise.withResolvers<undefined>();
  let going = true;
  const loop = async () => {
    while (going) {
      const client = await tenant.connect().catch(() => undefined);
      first.resolve(undefined);
      await client?.query('select pg_sleep(0.5)').catch(() => undefined);
      await client?.end().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const done = loop();
  const stop = async () => {
    going = false;
    await done;
  };
  return { connected: first.promise, stop };
}
