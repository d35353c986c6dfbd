import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RetryPlan } from '../../src/back-pressure/retry-plan.ts';

const planAt = (time = { now: 0 }) => ({ plan: new RetryPlan(() => time.now), time });

/** How many are told each number of seconds. */
const tally = (seconds: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const second of seconds) counts.set(second, (counts.get(second) ?? 0) + 1);
  return counts;
};

test('the first one is told the time that is known, in whole seconds, and never less than one', () => {
  for (const [earliestMs, seconds] of [
    [0, 1],
    [999, 1],
    [1_001, 2],
    [7_000, 7],
    [10_000_000, 45],
  ] as const) {
    assert.equal(planAt().plan.next(earliestMs, 100), seconds);
  }
});

test('a thousand that are turned away together come back one after the other, at the pace of the work', () => {
  const { plan } = planAt();
  const counts = tally(Array.from({ length: 1_000 }, () => plan.next(2_000, 20)));
  assert.deepEqual([Math.min(...counts.keys()), Math.max(...counts.keys())], [2, 22]);
  assert.ok(Math.max(...counts.values()) <= 51, 'no second gets more than it can serve');
});

test('nobody is sent away for more than a minute, and even then not all come back in one second', () => {
  const { plan } = planAt();
  const counts = tally(Array.from({ length: 1_000 }, () => plan.next(30_000, 500)));
  assert.deepEqual([Math.min(...counts.keys()), Math.max(...counts.keys())], [30, 60]);
  assert.ok(Math.max(...counts.values()) < 50);
});

test('a queue that has drained is forgotten', () => {
  const { plan, time } = planAt();
  for (let index = 0; index < 100; index += 1) plan.next(0, 100);
  time.now = 20_000;
  assert.equal(plan.next(0, 100), 1);
});
