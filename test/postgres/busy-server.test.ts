import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';

import type { Client } from 'pg';

import { createServers } from '../../src/postgres/servers.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { Crowd } from './crowd.ts';
import { type LiveServer, LiveTenant, startLiveServer } from './live-server.ts';
import { MutingProxy } from './muting-proxy.ts';

type Options = NonNullable<Parameters<typeof createServers>[0]>;

/** An adapter of its own, with the row of its Instance in the registry. */
async function adapter(
  t: TestContext,
  live: LiveServer,
  more: Partial<ServerTarget> = {},
  options: Options = {},
) {
  const connects: string[] = [];
  const servers = createServers({ ...options, onConnect: (outcome) => connects.push(outcome) });
  t.after(() => servers.close());
  const server = servers.of({ ...live.target, instanceUid: randomUUID(), ...more });
  await server.registry.registerInstance();
  const own = Object.create(live, { server: { get: () => server } }) as LiveServer;
  return { server, own, usage: () => servers.usage()[0]!, connects };
}

describe('a server that has no connection left', () => {
  let live: LiveServer;
  const others: Client[] = [];
  before(async () => {
    const settings = { max_connections: '6', superuser_reserved_connections: '0', max_wal_senders: '0' };
    live = await startLiveServer({ settings });
    await live.servers.close();
  });
  after(() => live.close());

  const fill = async () => {
    for (;;) {
      try {
        others.push(await live.connect());
      } catch (error) {
        assert.match(String(error), /too many clients|remaining connection slots/);
        return;
      }
    }
  };
  const empty = async () => {
    await Promise.all(others.splice(0).map((client) => client.end()));
  };

  it('is told at once and asked seldom, and reads go on over a session that is open', async (t) => {
    const { server, connects } = await adapter(t, live, {}, { firstRetryMs: 1_000 });
    await fill();
    const held = Crowd.observing(server, 50);
    await held.done;
    assert.equal(held.count('ok'), 50, 'one session is enough for all');

    const late = adapterWithout(t);
    const crowd = Crowd.observing(late.server, 50);
    await crowd.done;
    const again = Crowd.observing(late.server, 50);
    await again.done;
    assert.equal(crowd.count('InstanceUnreachable') + again.count('InstanceUnreachable'), 100);
    assert.deepEqual(late.connects, ['InstanceUnreachable']);
    await assert.rejects(late.server.observe.server(), {
      message: /^PostgreSQL has no connection left for the management login/,
    });

    await empty();
    await waitFor('the server to be asked again', async () => {
      const one = Crowd.observing(late.server, 1);
      await one.done;
      return one.count('ok') === 1;
    });
    assert.equal(late.connects.at(-1), 'ok');
    assert.deepEqual(connects, ['ok']);
  });

  /** One that has not reached the server yet. */
  function adapterWithout(t: TestContext) {
    const connects: string[] = [];
    const servers = createServers({ firstRetryMs: 1_000, onConnect: (outcome) => connects.push(outcome) });
    t.after(() => servers.close());
    return { server: servers.of({ ...live.target, instanceUid: randomUUID() }), connects };
  }
});

describe('a server that lives and takes its time', () => {
  let live: LiveServer;
  before(async () => {
    live = await startLiveServer();
  });
  after(() => live.close());

  it('with a lock on the registry holds two of fifty calls, and no session of it is given up for dead', async (t) => {
    const { server, usage, connects } = await adapter(t, live);
    const holder = await live.connect();
    await holder.query('begin; lock table pgtenancy.tenant in access exclusive mode');
    try {
      const crowd = Crowd.observing(server, 50);
      await waitFor('most to be turned away', () => crowd.count('Busy') >= 48);
      assert.ok(usage().calls <= 2);
      const more = Crowd.observing(server, 50);
      await more.done;
      await crowd.done;
      assert.equal(crowd.count('Busy') + more.count('Busy'), 100);
      assert.equal(more.retryAfter.length, 50);
    } finally {
      await holder.end();
    }
    await waitFor('reads to pass', async () => {
      const one = Crowd.observing(server, 1);
      await one.done;
      return one.count('ok') === 1;
    });
    assert.ok(!connects.includes('InstanceUnreachable'));
  });

  it('over two databases that are long in the making serves all other tenants', async (t) => {
    const { server, own, usage } = await adapter(t, live, {}, { lockMs: 60_000, longWaitMs: 60_000 });
    const [first, second, third] = Array.from({ length: 3 }, () => new LiveTenant(own));
    for (const tenant of [first!, second!, third!]) await tenant.createRole();
    const holder = await live.connect();
    await holder.query('begin; lock table pg_catalog.pg_database in share mode');
    const creating = new Crowd(
      await Promise.all(
        [first!, second!].map(async (tenant) => {
          const handle = await tenant.handle();
          return () => tenant.steps.createDatabase(handle);
        }),
      ).then((starts) => starts.map((start) => start())),
    );
    try {
      await waitFor('both statements', () => usage().longStatements === 2);
      for (let round = 0; round < 5; round += 1) {
        const others = Crowd.observing(server, 50);
        await others.done;
        assert.equal(others.count('ok'), 50);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      assert.equal(creating.waiting, 2, 'they take longer than a second');
      const handle = await third!.handle();
      const refused = new Crowd(Array.from({ length: 40 }, () => third!.steps.createDatabase(handle)));
      await refused.done;
      assert.equal(refused.count('Busy'), 40);
      const told = new Set(refused.retryAfter);
      assert.ok(Math.min(...told) >= 1 && Math.max(...told) <= 60);
      assert.ok(told.size >= 10, `all come back after ${[...told].join()} s`);
      assert.ok(usage().inUse + usage().idle <= live.target.maxConnections);
    } finally {
      await holder.end();
    }
    await creating.done;
    assert.equal(creating.count('ok'), 2);
  });

  it('frees the slot of a create database whose answer was lost once the server shows no such session', async (t) => {
    let jump = 0;
    await using proxy = await MutingProxy.start(live.postgres.port);
    const { own, usage } = await adapter(
      t,
      live,
      { port: proxy.port, maxConnections: 3 },
      { longWaitMs: 1_000, now: () => performance.now() + jump },
    );
    const [lost, next] = [new LiveTenant(own), new LiveTenant(own)];
    await lost.createRole();
    await next.createRole();
    const handle = await lost.handle();
    const holder = await live.connect();
    await holder.query('begin; lock table pg_catalog.pg_database in share mode');
    const creating = lost.steps.createDatabase(handle);
    await waitFor('the statement', async () => {
      const rows = await live.admin(`select from pg_stat_activity where query ~ '^\\s*create database'`);
      return rows.length > 0;
    });
    proxy.mute();
    await creating;
    await holder.end();
    await waitFor('the database', async () => {
      const rows = await live.admin('select from pg_database where datname = $1', [lost.databaseName]);
      return rows.length > 0;
    });
    assert.equal(usage().longStatements, 1);
    jump = 15_000;
    const seen = await waitFor('a session that answers', () => lost.handle().catch(() => undefined));
    await lost.steps.createDatabase(seen);
    await waitFor('a free slot', () => usage().longStatements === 0);
    await next.steps.createDatabase(await next.handle());
    assert.ok((await next.observe()).database.named);
  });
});
