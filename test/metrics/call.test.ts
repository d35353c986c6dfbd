import assert from 'node:assert/strict';
import { test } from 'node:test';

import { timed, type Call } from '../../src/metrics/call.ts';

test('the time of a call is told in seconds, from before it was made', async () => {
  const calls: Call[] = [];
  let now = 1_000;
  const time = timed(
    (call) => calls.push(call),
    () => now,
  );
  const answer = await time('read', () => {
    now += 250;
    return Promise.resolve('answer');
  });
  assert.equal(answer, 'answer');
  assert.deepEqual(calls, [{ operation: 'read', seconds: 0.25, outcome: 'ok', message: '' }]);
});
