import assert from 'node:assert/strict';
import { it } from 'node:test';

import { RetryDelays } from './retry-delays.ts';

it('retries begin after a second, double for each key, stop growing at the cap and begin anew after a success', () => {
  const delays = new RetryDelays(7 * 60_000);
  const seconds = Array.from({ length: 11 }, () => delays.next('a') / 1_000);
  assert.deepEqual(seconds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 420, 420]);
  assert.equal(delays.next('b'), 1_000);
  delays.forget('a');
  assert.equal(delays.next('a'), 1_000);
});
