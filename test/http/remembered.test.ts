import assert from 'node:assert/strict';
import { test } from 'node:test';

import { remembered } from '../../src/http/remembered.ts';

test('what takes long is made once for all that ask meanwhile, and for a while longer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let made = 0;
  const ask = remembered(1_000, async () => {
    made += 1;
    await promise;
    return made;
  });
  const waiting = [ask(), ask()];
  t.mock.timers.tick(5_000);
  waiting.push(ask());
  resolve(undefined);
  assert.deepEqual(await Promise.all(waiting), [1, 1, 1]);
  t.mock.timers.tick(999);
  assert.equal(await ask(), 1);
  t.mock.timers.tick(1);
  assert.equal(await ask(), 2);
});

test('a failure is remembered like anything else, and then tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let made = 0;
  const ask = remembered(1_000, () => Promise.reject(new Error(`failure ${(made += 1)}`)));
  await assert.rejects(ask(), /failure 1/);
  await assert.rejects(ask(), /failure 1/);
  t.mock.timers.tick(1_000);
  await assert.rejects(ask(), /failure 2/);
});
