import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it, type TestContext } from 'node:test';

import { createServers } from '../../src/postgres/servers.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { freeze, type Frozen } from '../world/servers/freeze.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { Crowd } from './crowd.ts';
import { LiveServer, startLiveServer } from './live-server.ts';
import { MutingProxy } from './muting-proxy.ts';

/** So that a server that hangs is given up soon. */
const hasty = { connectMs: 2_000, firstRetryMs: 2_000, lastRetryMs: 4_000 };

describe('a server that hangs', () => {
  let live: LiveServer;
  let other: LiveServer;
  before(async () => {
    [live, other] = await Promise.all([startLiveServer(), startLiveServer()]);
  });
  after(() => Promise.all([live.close(), other.close()]));

  /** An adapter of its own, so that nothing is known of the server, on whatever stands in front of it. */
  function adapter(t: TestContext, more: Partial<ServerTarget> = {}) {
    const connects: string[] = [];
    const servers = createServers({ ...hasty, onConnect: (outcome) => connects.push(outcome) });
    t.after(() => servers.close());
    const server = servers.of({ ...live.target, instanceUid: randomUUID(), ...more });
    const usage = () => servers.usage()[0]!;
    return { server, usage, connects };
  }

  /** Thawed at the end of the test, whatever happened. */
  async function frozen(t: TestContext, what: 'server' | 'sessions'): Promise<Frozen> {
    const ice = await freeze(live.postgres, what);
    t.after(() => ice.thaw());
    return ice;
  }

  const comesBack = (server: LiveServer['server']) =>
    waitFor(
      'the server to be asked again',
      async () => {
        const crowd = Crowd.observing(server, 1);
        await crowd.done;
        return crowd.count('ok') === 1;
      },
      { timeoutMs: 20_000, everyMs: 100 },
    );

  it('holds two of fifty calls, none of another server, is told at once then, and comes back by itself', async (t) => {
    const { server, usage, connects } = adapter(t);
    await Crowd.observing(server, 50).done;
    const ice = await frozen(t, 'server');
    const crowd = Crowd.observing(server, 50);
    await waitFor('most to be turned away', () => crowd.count('Busy') > 0);
    assert.deepEqual([crowd.waiting, usage().calls], [2, 2]);
    const more = Crowd.observing(server, 50);
    await more.done;
    assert.equal(more.count('Busy'), 50, 'nobody joins those two');

    const healthy = Crowd.observing(other.server, 50);
    await healthy.done;
    assert.equal(healthy.count('ok'), 50);
    assert.equal(crowd.waiting, 2, 'while two still wait');

    await crowd.done;
    assert.deepEqual([crowd.count('Busy'), crowd.count('InstanceUnreachable')], [48, 2]);
    assert.deepEqual(connects, ['ok', 'InstanceUnreachable']);
    const late = Crowd.observing(server, 50);
    await late.done;
    assert.equal(late.count('InstanceUnreachable'), 50);
    assert.equal(connects.length, 2, 'nobody tried');

    ice.thaw();
    await comesBack(server);
    const afterwards = Crowd.observing(server, 50);
    await afterwards.done;
    assert.equal(afterwards.count('ok'), 50);
    assert.deepEqual(connects.slice(4), [], 'one connect for each time that it was asked');
  });

  it('is asked over one connect at a time once it is known, for which hardly anybody waits', async (t) => {
    const { server, usage, connects } = adapter(t);
    await frozen(t, 'server');
    await Crowd.observing(server, 1).done;
    assert.deepEqual(connects, ['InstanceUnreachable']);
    let most = 0;
    let probes = 0;
    await waitFor(
      'the second probe to fail',
      async () => {
        const crowd = Crowd.observing(server, 20);
        await new Promise(setImmediate);
        if (crowd.waiting > 0) probes += 1;
        most = Math.max(most, usage().inUse);
        await crowd.done;
        assert.equal(crowd.count('InstanceUnreachable'), 20);
        return connects.length >= 3;
      },
      { timeoutMs: 20_000, everyMs: 50 },
    );
    assert.equal(most, 1, 'one connect for all');
    assert.ok(probes <= 2, `${probes} crowds waited`);
  });

  it('in its open sessions only is served over new ones, and none of the old ones is trusted', async (t) => {
    const { server, usage, connects } = adapter(t);
    await Promise.all([server.observe.server(), server.observe.registry(), Crowd.observing(server, 1).done]);
    const opened = connects.length;
    assert.ok(opened >= 2, 'several sessions are idle');
    await frozen(t, 'sessions');
    const crowd = Crowd.observing(server, 50);
    await crowd.done;
    assert.deepEqual([crowd.count('Busy'), crowd.count('ok')], [48, 2], 'the two are answered all the same');
    const afterwards = Crowd.observing(server, 50);
    await afterwards.done;
    assert.equal(afterwards.count('ok'), 50);
    assert.ok(connects.length - opened <= 2, connects.join());
    assert.ok(usage().inUse + usage().idle <= live.target.maxConnections);
    assert.ok(!connects.includes('InstanceUnreachable'));
  });

  it('from the first contact on is tried once for all, and most are turned away', async (t) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { server, usage, connects } = adapter(t, { port: (silent.address() as AddressInfo).port });
    const crowd = Crowd.observing(server, 50);
    await waitFor('most to be turned away', () => crowd.count('Busy') > 0);
    assert.equal(usage().calls, 2);
    await crowd.done;
    assert.deepEqual([crowd.count('Busy'), crowd.count('InstanceUnreachable')], [48, 2]);
    assert.deepEqual(connects, ['InstanceUnreachable']);
    assert.ok(
      crowd.retryAfter.every((seconds) => seconds >= 1 && seconds <= 5),
      crowd.retryAfter.join(),
    );
  });

  it('only after the login is given up too, and comes back by itself', async (t) => {
    await using proxy = await MutingProxy.start(live.postgres.port);
    const { server, usage } = adapter(t, { port: proxy.port });
    await Crowd.observing(server, 1).done;
    proxy.muteAfterLogin = true;
    proxy.mute();
    const crowd = Crowd.observing(server, 50);
    await waitFor('most to be turned away', () => crowd.count('Busy') > 0);
    assert.equal(usage().calls, 2);
    await crowd.done;
    assert.deepEqual([crowd.count('Busy'), crowd.count('InstanceUnreachable')], [48, 2]);
    const known = Crowd.observing(server, 50);
    await known.done;
    assert.equal(known.count('InstanceUnreachable'), 50);
    proxy.muteAfterLogin = false;
    await comesBack(server);
  });

  it('that is only slow to let in turns nobody away: all wait for the one connect', async (t) => {
    await using proxy = await MutingProxy.start(live.postgres.port);
    proxy.delayMs = 500;
    const { server, connects } = adapter(t, { port: proxy.port });
    const crowd = Crowd.observing(server, 64);
    await crowd.done;
    assert.equal(crowd.count('ok'), 64);
    assert.deepEqual([connects, proxy.connections], [['ok'], 1]);
  });
});
