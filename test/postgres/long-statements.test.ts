import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { waitFor } from '../world/servers/wait-for.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

describe('a create or drop database that takes longer than the request', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({}, { maxConnections: 3 }, { longWaitMs: 150, lockMs: 2_500 });
  });
  after(() => live.close());

  /** Lets nobody write pg_database until it is released. */
  const holdDatabases = async () => {
    const holder = await live.connect();
    await holder.query('begin; lock table pg_catalog.pg_database in share mode');
    return () => holder.end();
  };
  const running = (tenant: LiveTenant, kind: 'create' | 'drop') =>
    waitFor('the statement', async () => (await tenant.observe()).inFlight === kind);
  /** Looks once more at the end: within one look the list of sessions may be newer than the catalog. */
  const settled = async (tenant: LiveTenant) => {
    await waitFor('the end of the statement', async () => (await tenant.observe()).inFlight === null);
    return await tenant.observe();
  };

  it('goes on by itself, and every replica sees it run', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createRole();
    const release = await holdDatabases();
    await tenant.steps.createDatabase(await tenant.handle());
    await running(tenant, 'create');
    await release();
    const created = await settled(tenant);
    assert.equal(created.database.named?.ownerOid, created.row?.roleOid);

    await tenant.steps.openDatabase(await tenant.handle());
    await tenant.steps.close(await tenant.handle());
    await tenant.steps.tombstone(await tenant.handle());
    const releaseDrop = await holdDatabases();
    await tenant.steps.dropDatabase(await tenant.handle());
    await running(tenant, 'drop');
    await releaseDrop();
    assert.equal((await settled(tenant)).database.tombstone, null);
  });

  it('is not sent twice, and no more than the Instance allows run at once', async () => {
    const tenants = Array.from({ length: 3 }, () => new LiveTenant(live));
    for (const tenant of tenants) await tenant.createRole();
    const [first, second, third] = tenants as [LiveTenant, LiveTenant, LiveTenant];
    const release = await holdDatabases();
    try {
      await first.steps.createDatabase(await first.handle());
      await first.steps.createDatabase(await first.handle());
      await second.steps.createDatabase(await second.handle());
      await assert.rejects(async () => third.steps.createDatabase(await third.handle()), { reason: 'Busy' });
      await running(first, 'create');
      await running(second, 'create');
      const sent = await live.admin(
        `select from pg_stat_activity where state = 'active' and query ~ '^\\s*create database'`,
      );
      assert.ok(sent.length <= 2, `${sent.length} statements`);
    } finally {
      await release();
    }
    for (const tenant of [first, second]) assert.ok((await settled(tenant)).database.named);
    // The server is done a moment before the slot is free.
    await waitFor('a free slot', () =>
      third.createDatabase().then(
        () => true,
        () => false,
      ),
    );
    assert.ok((await settled(third)).database.named);
  });

  it('tells a failure to whoever waits for it, and to nobody else afterwards', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createRole();
    const release = await holdDatabases();
    await tenant.steps.createDatabase(await tenant.handle());
    await running(tenant, 'create');
    const failed = waitFor('the failure', async () => {
      const call = tenant.steps.createDatabase(await tenant.handle());
      return call.then(
        () => false,
        (error: unknown) => error instanceof Error && error.message,
      );
    });
    assert.equal(await failed, 'a lock in PostgreSQL is held elsewhere');
    await release();
    await tenant.steps.createDatabase(await tenant.handle());
    assert.ok((await settled(tenant)).database.named);
  });

  it('tells a failure that came after the answer to the next call', async () => {
    const tenant = new LiveTenant(live);
    await tenant.createRole();
    const release = await holdDatabases();
    await tenant.steps.createDatabase(await tenant.handle());
    await running(tenant, 'create');
    const seen = await settled(tenant);
    await release();
    assert.equal(seen.database.named, null);
    await assert.rejects(async () => tenant.steps.createDatabase(await tenant.handle()), {
      reason: 'Busy',
      message: 'a lock in PostgreSQL is held elsewhere',
    });
    await tenant.steps.createDatabase(await tenant.handle());
    assert.ok((await settled(tenant)).database.named);
  });
});
