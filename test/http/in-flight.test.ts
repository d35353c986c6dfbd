import assert from 'node:assert/strict';
import { test } from 'node:test';

import { limitInFlight } from '../../src/http/in-flight.ts';
import type { Overload } from '../../src/http/overload.ts';

/** Starts works that hang, and tells how many were let in. */
function crowded() {
  const counts: number[] = [];
  const inFlight = limitInFlight(
    (count) => counts.push(count),
    () => 0,
  );
  const { promise: free, resolve: release } = Promise.withResolvers<undefined>();
  const refused: (number | undefined)[] = [];
  const start = async (count: number, instance?: string) => {
    const before = counts.at(-1) ?? 0;
    for (let index = 0; index < count; index += 1) {
      void inFlight(() => free, instance).catch((error: unknown) => {
        refused.push((error as Overload).retryAfterSeconds);
      });
    }
    await new Promise(setImmediate);
    return (counts.at(-1) ?? 0) - before;
  };
  return { start, refused, counts, release };
}

test('one Instance cannot take all places: a quarter stays for the others', async () => {
  const { start, refused } = crowded();
  assert.equal(await start(100, 'pg-hangs'), 48);
  assert.equal(await start(10, 'pg-good'), 10);
  assert.equal(await start(10), 6, 'and 64 places are all there are');
  assert.equal(refused.length, 56);
});

test('a place that is given back can be taken again, by the same Instance too', async () => {
  const { start, counts, release } = crowded();
  await start(100, 'pg-hangs');
  release(undefined);
  await new Promise(setImmediate);
  assert.equal(counts.at(-1), 0);
  assert.equal(await start(1, 'pg-hangs'), 0, 'it was taken and given back at once');
  assert.equal(Math.max(...counts), 48);
});

test('those that find no place are told to come back one after the other', async () => {
  const { start, refused } = crowded();
  await start(64);
  await start(500);
  assert.equal(refused.length, 500);
  assert.deepEqual([Math.min(...refused.map(Number)), Math.max(...refused.map(Number))], [1, 10]);
});
