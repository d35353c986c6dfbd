import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { after, before, test, type TestContext } from 'node:test';

import { NameLookups } from '../../src/postgres/name-lookups.ts';
import { createServers } from '../../src/postgres/servers.ts';
import { type LiveServer, startLiveServer } from './live-server.ts';

let live: LiveServer;
before(async () => {
  live = await startLiveServer();
});
after(() => live.close());

const loopback: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];

/** A name service that answers for names of `silent` when the test ends; `begun` are all look-ups, in their order. */
function nameService(t: TestContext, silent: Set<string>) {
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  t.after(() => resolve(undefined));
  const state = { begun: [] as string[], running: 0, most: 0 };
  const lookUp = async (host: string): Promise<LookupAddress[]> => {
    state.begun.push(host);
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    if (silent.has(host)) await end;
    state.running -= 1;
    return loopback;
  };
  return { state, lookUp, answer: () => resolve(undefined) };
}

test('names that hang leave servers whose names were found before alone, and take one look-up of the process', async (t) => {
  const silent = new Set(['dead-1', 'dead-2', 'dead-3', 'dead-4', 'dead-5']);
  const { state, lookUp } = nameService(t, silent);
  const servers = createServers({ lookUp });
  t.after(() => servers.close());
  const on = (host: string) =>
    servers.of({ ...live.target, host, hostAddress: undefined, instanceUid: randomUUID() });
  await on('good').observe.server();
  const dead = Array.from(silent, (host) =>
    assert.rejects(on(host).observe.server(), {
      reason: 'InstanceUnreachable',
      message: /^the name service gives no answer for the host name of the Instance/,
    }),
  );
  const start = performance.now();
  await Promise.all([on('good').observe.server(), on('good').observe.server()]);
  assert.ok(performance.now() - start < 2_500);
  await Promise.all(dead);
  assert.deepEqual([state.most, state.begun], [1, ['good', 'dead-1']]);
});

test('all addresses of a name are tried', async (t) => {
  const lookUp = () => Promise.resolve([{ address: '::1', family: 6 }, ...loopback]);
  const servers = createServers({ lookUp });
  t.after(() => servers.close());
  await servers.of({ ...live.target, host: 'both', hostAddress: undefined }).observe.server();
});

test('a name that was slow lets the others go first, and an answer that comes late serves the next caller', async (t) => {
  let now = 0;
  const silent = new Set(['slow']);
  const { state, lookUp, answer } = nameService(t, silent);
  const names = new NameLookups({ lookUp, now: () => now });
  const first = names.addressesOf('slow');
  const behind = names.addressesOf('new');
  now = 20_000;
  answer();
  assert.deepEqual(await Promise.all([first, behind]), [loopback, loopback]);
  const again = ['one', 'slow', 'two', 'three'].map((host) => names.addressesOf(host));
  await Promise.all(again);
  assert.deepEqual(state.begun, ['slow', 'new', 'one', 'two', 'three', 'slow']);
});

test('the last addresses serve while the name service fails, for ten minutes, but not when the name is gone', async () => {
  let now = 0;
  let code: string | undefined;
  const lookUp = () =>
    code === undefined ? Promise.resolve(loopback) : Promise.reject(Object.assign(new Error('no'), { code }));
  const names = new NameLookups({ lookUp, now: () => now });
  await names.addressesOf('db');
  code = 'EAI_AGAIN';
  for (now = 60_000; now <= 600_000; now += 60_000) assert.deepEqual(await names.addressesOf('db'), loopback);
  now = 600_001;
  await assert.rejects(names.addressesOf('db'), { code });
  code = undefined;
  await names.addressesOf('db');
  code = 'ENOTFOUND';
  await assert.rejects(names.addressesOf('db'), { code });
  code = 'EAI_AGAIN';
  await assert.rejects(names.addressesOf('db'), { code });
});
