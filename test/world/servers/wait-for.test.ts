import assert from 'node:assert/strict';
import { test } from 'node:test';

import { waitFor } from './wait-for.ts';

test('What a probe gives at last is given back', async () => {
  let looks = 0;
  const third = await waitFor('the third look', () => ((looks += 1) < 3 ? undefined : looks));
  assert.equal(third, 3);
});

test('A probe that gives nothing, or never answers at all, is waited for as long as was said', async () => {
  const nothing = waitFor('nothing', () => false, { timeoutMs: 100 });
  await assert.rejects(nothing, new Error('waited 100 ms in vain for nothing'));
  const silence = waitFor('silence', () => new Promise<true>(() => undefined), { timeoutMs: 100 });
  await assert.rejects(silence, new Error('waited 100 ms in vain for silence'));
});

test('The failure of a probe is the failure of the wait', async () => {
  const broken = new Error('no luck');
  await assert.rejects(
    waitFor('luck', () => Promise.reject(broken)),
    broken,
  );
});
