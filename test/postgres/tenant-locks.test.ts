import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Client } from 'pg';

import { waitFor } from '../world/servers/wait-for.ts';
import { LiveServer, LiveTenant, startLiveServer } from './live-server.ts';

/** One session reads the table in a transaction that stays open, another queues up behind it for an exclusive lock. */
async function lockCatalog(tenant: LiveTenant, table: string): Promise<() => Promise<void>> {
  const sessions: Client[] = [await tenant.connect(), await tenant.connect()];
  const [reader, queued] = sessions;
  await reader?.query(`begin; lock table pg_catalog.${table} in access share mode`);
  queued?.query(`vacuum full pg_catalog.${table}`).catch(() => undefined);
  await waitFor('the queue', async () => {
    const waiting = await tenant.live.admin(
      `select from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'`,
      [tenant.roleName],
    );
    return waiting.length === 1;
  });
  return async () => {
    await Promise.all(sessions.map((session) => session.end()));
  };
}

describe('a tenant that locks the catalog of its own database', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer({ role: 'adminRole' }, {}, { lockMs: 20_000 });
  });
  after(() => live.close());

  const opened = async () => {
    const tenant = new LiveTenant(live);
    await tenant.open();
    return tenant;
  };

  for (const table of ['pg_extension', 'pg_class']) {
    it(`by ${table} holds up the look at it alone, and only for a moment`, async () => {
      const tenant = await opened();
      const unlock = await lockCatalog(tenant, table);
      try {
        const since = performance.now();
        assert.deepEqual(await tenant.session(), { kind: 'authenticated', locked: true });
        assert.ok(performance.now() - since < 10_000, 'the look waits as long as for any other lock');
      } finally {
        await unlock();
      }
      await waitFor('the end of the lock', async () => (await tenant.session()).kind === 'proven');
    });
  }

  it('is told of it when an extension is to be installed', async () => {
    const tenant = await opened();
    const unlock = await lockCatalog(tenant, 'pg_extension');
    const extension = { name: 'citext', as: 'tenant', schema: undefined, version: undefined } as const;
    try {
      await assert.rejects(
        async () => tenant.steps.installExtension(await tenant.handle(), tenant.password, extension),
        { reason: 'LockHeld', message: /^a session holds a lock on the catalog of database/ },
      );
    } finally {
      await unlock();
    }
  });

  it('leaves a backend to the reads of its neighbours, however often it is looked at', async () => {
    const small = new LiveServer(
      live.postgres,
      { ...live.target, maxConnections: 2 },
      { objectLockMs: 1_500, silentMs: 20_000 },
    );
    const tenants = [await opened(), await opened(), await opened()];
    const unlocks = await Promise.all(tenants.map((tenant) => lockCatalog(tenant, 'pg_extension')));
    try {
      const handles = await Promise.all(tenants.map((tenant) => tenant.handle()));
      const { server } = small;
      let ended = 0;
      const looks = tenants.map(async (tenant, index) => {
        await server.observe.session(handles[index] ?? assert.fail(), tenant.password, []);
        ended += 1;
      });
      await new LiveTenant(small).observe();
      assert.equal(ended, 0, 'the neighbour waited for them');
      await Promise.all(looks);
    } finally {
      await small.servers.close();
      await Promise.all(unlocks.map((unlock) => unlock()));
    }
  });
});
