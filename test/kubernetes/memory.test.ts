import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createMemory } from '../../src/kubernetes/memory.ts';

const setUp = () => {
  const state = { now: 0, loads: [] as string[], fails: false };
  const memory = createMemory({
    load: (name) => {
      state.loads.push(name);
      return state.fails ? Promise.reject(new Error('no')) : Promise.resolve(`${name}${state.loads.length}`);
    },
    rememberMs: 2_000,
    clock: () => state.now,
  });
  return { state, memory };
};

test('reads that wait at the same moment share one, and its answer holds for a while', async () => {
  const { state, memory } = setUp();
  assert.deepEqual(await Promise.all([memory.get('a'), memory.get('a'), memory.get('b')]), [
    'a1',
    'a1',
    'b2',
  ]);
  state.now = 1_999;
  assert.equal(await memory.get('a'), 'a1');
  state.now = 2_000;
  assert.equal(await memory.get('a'), 'a3');
  assert.deepEqual(state.loads, ['a', 'b', 'a']);
});

test('a fresh read is made always, and what it found is remembered', async () => {
  const { state, memory } = setUp();
  await memory.get('a');
  assert.equal(await memory.fresh('a'), 'a2');
  assert.equal(await memory.get('a'), 'a2');
  assert.equal(state.loads.length, 2);
});

test('a failure is told to all that wait, and not remembered', async () => {
  const { state, memory } = setUp();
  state.fails = true;
  const results = await Promise.allSettled([memory.get('a'), memory.get('a')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(state.loads.length, 1);
  state.fails = false;
  assert.equal(await memory.get('a'), 'a2');
});

test('an older read that ends later does not replace a newer answer', async () => {
  const answers: ((value: string) => void)[] = [];
  let now = 0;
  const memory = createMemory({
    load: () => new Promise<string>((resolve) => answers.push(resolve)),
    rememberMs: 2_000,
    clock: () => now,
  });
  const slow = memory.get('a');
  now = 100;
  const quick = memory.fresh('a');
  answers[1]!('new');
  await quick;
  answers[0]!('old');
  await slow;
  assert.equal(await memory.get('a'), 'new');
});

test('at most a thousand names are remembered, the newest ones', async () => {
  const { state, memory } = setUp();
  for (let index = 0; index < 1_001; index += 1) await memory.get(`n${index}`);
  await memory.get('n1');
  assert.equal(state.loads.length, 1_001);
  await memory.get('n0');
  assert.equal(state.loads.length, 1_002);
});
