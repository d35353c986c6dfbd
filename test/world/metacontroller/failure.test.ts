import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { events } from '../kubernetes/resources.ts';
import { eventually } from './eventually.ts';
import { withTrial } from './trial.ts';
import { part, thing, things } from './trial-kinds.ts';

const syncErrors = async (client: KubeClient): Promise<KubeObject[]> => {
  const { items } = await client.list(events, 'team');
  return items.filter((event) => event['reason'] === 'SyncError');
};

describe('a hook that answers badly', () => {
  it(
    'is called again with growing waits, and the parent gets an event with the whole body of the answer',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = ({ hook: name }) => (name === 'sync' ? { status: 503, body: 'out of order' } : {});
        await client.create(things, thing('a'));
        await eventually(() => {
          const starts = metacontroller.calls.filter((c) => c.hook === 'sync').map((c) => c.startedAt);
          const waits = starts.slice(1).map((start, i) => start - (starts[i] ?? 0));
          assert.ok(waits.length >= 5 && waits.some((wait) => wait >= 80), `waits: ${waits.join(' ')}`);
          assert.ok(
            waits.some((wait) => wait < 80),
            `waits: ${waits.join(' ')}`,
          );
        });
        const [event] = await eventually(async () => {
          const found = await syncErrors(client);
          assert.ok(found.length > 0);
          return found;
        });
        assert.equal(event?.['type'], 'Warning');
        assert.match(
          String(event['message']),
          /^Sync error: sync hook failed for Thing team\/a: .*unsupported status code: 503 body: out of order$/,
        );
        assert.equal((await client.get(things, 'a', 'team'))?.status, undefined);
        hook.answer = () => ({});
      },
      { maxBackoffMs: 100_000 },
    ),
  );

  it(
    'causes at most 25 events for one parent',
    withTrial(
      async ({ client, hook }) => {
        let n = 0;
        hook.answer = ({ hook: name }) => (name === 'sync' ? { status: 500, body: `fault ${(n += 1)}` } : {});
        await client.create(things, thing('a'));
        await eventually(() => assert.ok(n >= 40));
        hook.answer = () => ({});
        await sleep(100);
        assert.equal((await syncErrors(client)).length, 25);
      },
      { maxBackoffMs: 10 },
    ),
  );

  it(
    'is not tried before the seconds of a 429 are over, and no event tells of it',
    withTrial(async ({ client, hook, metacontroller }) => {
      hook.answer = ({ hook: name, body }) => {
        if (name !== 'sync') return {};
        const calls = hook.of('sync').filter((r) => r.body.parent.metadata.generation === 2);
        if (body.parent.metadata.generation === 2 && calls.length === 1)
          return { status: 429, headers: { 'retry-after': '1' } };
        return { body: { status: { phase: 'Done' } } };
      };
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.parent.status));
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      const status = { phase: 'Done', observedGeneration: 2 };
      await eventually(async () => assert.deepEqual((await client.get(things, 'a', 'team'))?.status, status));
      const syncs = metacontroller.calls.filter((c) => c.hook === 'sync');
      const refused = syncs.findIndex((c) => c.status === 429);
      const waited = (syncs[refused + 1]?.startedAt ?? 0) - (syncs[refused]?.startedAt ?? Infinity);
      assert.ok(waited >= 990, `called again after ${waited} ms`);
      assert.deepEqual(await syncErrors(client), []);
    }),
  );

  it(
    'is called again at once after a 429 that says no whole number of seconds',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = ({ hook: name }) =>
          name === 'sync' && hook.of('sync').length <= 10
            ? { status: 429, ...(hook.of('sync').length > 5 ? { headers: { 'retry-after': '0.5' } } : {}) }
            : {};
        await client.create(things, thing('a'));
        await eventually(() => assert.ok(hook.of('sync').length > 10));
        const syncs = metacontroller.calls.filter((c) => c.hook === 'sync');
        // With waits that double from 5 ms it would take 2.5 s.
        assert.ok((syncs[9]?.startedAt ?? Infinity) - (syncs[0]?.startedAt ?? 0) < 2_000);
      },
      { maxBackoffMs: 100_000 },
    ),
  );

  it(
    'fails the sync with an unknown top-level key, before anything is written',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name }) =>
        name === 'sync' ? { body: { status: { phase: 'X' }, resyncAfter: 5 } } : {};
      await client.create(things, thing('a'));
      await eventually(async () => {
        const [event] = await syncErrors(client);
        assert.match(String(event?.['message']), /strict validation failed.*resyncAfter/s);
      });
      assert.equal((await client.get(things, 'a', 'team'))?.status, undefined);
    }),
  );

  it(
    'that puts a null among the children is recorded as the crash that it would be',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = ({ hook: name }) =>
          name === 'sync' ? { body: { children: [part('one'), null] } } : {};
        await client.create(things, thing('a'));
        await eventually(() => assert.ok(metacontroller.panics.length > 0));
        await assert.rejects(metacontroller.stop(), /would have crashed: .*panic: null in the children/);
      },
      { stopsItself: true },
    ),
  );

  it(
    'is abandoned at the timeout of its hook and called again while it still runs',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = async ({ hook: name }) => {
          if (name === 'sync' && hook.of('sync').length === 1) await sleep(600);
          return name === 'sync' ? { body: { status: { phase: 'Done' } } } : {};
        };
        await client.create(things, thing('a'));
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['phase'], 'Done'),
        );
        const [first] = metacontroller.calls.filter((c) => c.hook === 'sync');
        assert.ok(first);
        assert.equal(first.status, undefined);
        assert.ok(first.durationMs < 600, `abandoned after ${first.durationMs} ms`);
        assert.equal(hook.busiest, 2);
      },
      { faults: { timeoutAfterMs: 200 } },
    ),
  );

  it(
    'is otherwise never called twice at once for one parent, whatever happens to it meanwhile',
    withTrial(async ({ client, hook }) => {
      hook.answer = async ({ hook: name }) => {
        if (name === 'sync') await sleep(30);
        return {};
      };
      await client.create(things, thing('a'));
      for (let x = 0; x < 10; x += 1) {
        await client.patch(things, 'a', 'team', { spec: { x } });
        await sleep(10);
      }
      await eventually(() => assert.equal(hook.of('sync').at(-1)?.body.parent.spec?.['x'], 9));
      assert.equal(hook.busiest, 1);
    }),
  );
});

describe('stopping', () => {
  it(
    'ends soon while a hook call hangs, and abandons that call',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = async ({ hook: name }) => {
          if (name === 'sync') await sleep(20_000, undefined, { ref: false });
          return {};
        };
        await client.create(things, thing('a'));
        await eventually(() => assert.equal(hook.of('sync').length, 1));
        const began = Date.now();
        await metacontroller.stop();
        assert.ok(Date.now() - began < 3_000);
        assert.equal(metacontroller.calls.at(-1)?.status, undefined);
      },
      { stopsItself: true },
    ),
  );
});
