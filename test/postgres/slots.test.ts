import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Trouble } from '../../src/errors.ts';
import { Slots } from '../../src/postgres/slots.ts';

const settled = () => new Promise(setImmediate);

/** Two slots, on a clock that the test moves. */
function twoSlots() {
  let now = 0;
  const slots = new Slots({ count: 2, waitMs: 5_000, message: 'all taken', now: () => now });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const told: (number | undefined)[] = [];
  const hold = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ends.set(name, () => resolve(undefined));
    void slots
      .hold(() => {
        started.push(name);
        return promise;
      })
      .catch((error: unknown) => told.push((error as Trouble).retryAfterSeconds));
  };
  const end = (name: string) => {
    ends.get(name)?.();
    return settled();
  };
  return { slots, started, told, hold, end, advance: (ms: number) => (now += ms) };
}

test('waiters are served in the order in which they came, and nobody jumps the queue', async () => {
  const { slots, started, hold, end } = twoSlots();
  for (const name of ['a', 'b', 'c', 'd', 'e']) hold(name);
  await settled();
  assert.deepEqual([started, slots.free, slots.waiting], [['a', 'b'], 0, 3]);
  const freed = end('b');
  hold('late');
  await freed;
  assert.deepEqual(started, ['a', 'b', 'c']);
  for (const name of ['a', 'c', 'd', 'e', 'late']) await end(name);
  assert.deepEqual(started, ['a', 'b', 'c', 'd', 'e', 'late']);
  assert.deepEqual([slots.free, slots.waiting], [2, 0]);
});

test('whoever gives up is told a time by how long slots are held here and how many wait before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { slots, told, hold, end, advance } = twoSlots();
  for (let round = 0; round < 20; round += 1) {
    hold('usual');
    await settled();
    advance(10_000);
    await end('usual');
  }
  for (const name of ['a', 'b', 'c', 'd']) hold(name);
  await settled();
  advance(5_000);
  t.mock.timers.tick(5_000);
  await settled();
  assert.equal(slots.waiting, 0);
  assert.deepEqual(told, [5, 10]);
});
