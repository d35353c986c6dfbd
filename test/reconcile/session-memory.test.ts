import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Session } from '../../src/domain/facts.ts';
import { SessionMemory } from '../../src/reconcile/session-memory.ts';

const proven: Session = { kind: 'proven', installed: [], offers: [], pristine: true, failures: {} };

const newMemory = (random = 0.5) => {
  const clock = { now: 1_000_000, random };
  const memory = new SessionMemory({
    minSeconds: 600,
    maxSeconds: 3600,
    now: () => clock.now,
    random: () => clock.random,
  });
  const pass = (seconds: number) => (clock.now += seconds * 1000);
  return { memory, clock, pass };
};

test('what is remembered is recalled for the same key only', () => {
  const { memory } = newMemory();
  memory.remember('a', 'key 1', proven);
  assert.deepEqual(memory.recall('a', 'key 1'), proven);
  assert.equal(memory.recall('a', 'key 2'), undefined);
  assert.equal(memory.recall('b', 'key 1'), undefined);
});

const dueTimes: [random: number, seconds: number][] = [
  [0, 600],
  [0.5, 2100],
  [0.999, 3597],
];

for (const [random, seconds] of dueTimes) {
  test(`with a draw of ${random} a check holds for ${seconds} seconds`, () => {
    const { memory, pass } = newMemory(random);
    memory.remember('a', 'key', proven);
    pass(seconds - 1);
    assert.deepEqual(memory.recall('a', 'key'), proven);
    pass(1);
    assert.equal(memory.recall('a', 'key'), undefined);
  });
}

for (const [random, seconds] of [
  [0.25, 900],
  [0.5, 1800],
  [0.75, 2700],
] as const) {
  test(`with a draw of ${random} a check that was never made may be put off for ${seconds} seconds`, () => {
    const { memory, pass } = newMemory(random);
    assert.equal(memory.mayDefer('a', 'key'), true, 'the first call draws');
    pass(seconds - 1);
    assert.equal(memory.mayDefer('a', 'key'), true);
    assert.equal(memory.recall('a', 'key'), undefined, 'nothing is found out by waiting');
    pass(1);
    assert.equal(memory.mayDefer('a', 'key'), false);
  });
}

test('a check for something else is not put off, and neither is one that was made before', () => {
  const { memory, pass } = newMemory();
  memory.remember('a', 'key 1', proven);
  assert.equal(memory.mayDefer('a', 'key 2'), false);
  pass(4000);
  assert.equal(memory.mayDefer('a', 'key 1'), false);
});

test('after a step the check is made again, but what failed is kept', () => {
  const { memory } = newMemory();
  memory.remember('a', 'key', proven);
  memory.tried('a', 'key', { failure: { hstore: { reason: 'ServerError', message: 'no' } } });
  assert.equal(memory.recall('a', 'key'), undefined);
  assert.equal(memory.mayDefer('a', 'key'), false);
  memory.tried('a', 'key', { failure: { citext: { reason: 'ServerError', message: 'no' } } });
  memory.tried('a', 'key');
  memory.remember('a', 'key', proven);
  assert.deepEqual(Object.keys(memory.failuresOf('a', 'key')), ['hstore', 'citext']);
});

test('what failed is forgotten after an interval, whether or not a check was remembered since', () => {
  for (const remembers of [true, false]) {
    const { memory, pass } = newMemory();
    memory.tried('a', 'key', { failure: { hstore: { reason: 'ServerError', message: 'no' } } });
    if (remembers) memory.remember('a', 'key', proven);
    pass(2099);
    assert.deepEqual(Object.keys(memory.failuresOf('a', 'key')), ['hstore']);
    pass(1);
    assert.deepEqual(memory.failuresOf('a', 'key'), {});
  }
});

test('a password that was set is not set once more for an interval, unless it was proven since', () => {
  const { memory, pass } = newMemory();
  memory.tried('a', 'key', { passwordSet: true });
  pass(2099);
  assert.equal(memory.passwordWasSet('a', 'key'), true);
  pass(1);
  assert.equal(memory.passwordWasSet('a', 'key'), false);
  memory.tried('a', 'key', { passwordSet: true });
  memory.remember('a', 'key', proven);
  assert.equal(memory.passwordWasSet('a', 'key'), false);
});

test('what was tried counts for its key only', () => {
  const { memory } = newMemory();
  const failure = { hstore: { reason: 'ServerError', message: 'no' } } as const;
  memory.tried('a', 'key 1', { passwordSet: true, failure });
  assert.equal(memory.passwordWasSet('a', 'key 2'), false);
  assert.deepEqual(memory.failuresOf('a', 'key 2'), {});
  memory.tried('a', 'key 2');
  assert.deepEqual(memory.failuresOf('a', 'key 2'), {});
});

test('a dropped tenant is as one that was never seen', () => {
  const { memory } = newMemory();
  memory.remember('a', 'key', proven);
  memory.drop('a');
  assert.equal(memory.recall('a', 'key'), undefined);
  assert.equal(memory.mayDefer('a', 'key'), true);
});

test('a look that is held up is put off for a time that doubles, also for another key, until one is not', () => {
  const { memory, pass } = newMemory();
  const locked: Session = { kind: 'authenticated', locked: true };
  for (const [key, seconds] of [
    ['a', 5],
    ['a', 10],
    ['b', 20],
    ['b', 40],
    ['b', 60],
    ['c', 60],
  ] as const) {
    assert.equal(memory.recall('uid', key), undefined, 'the next look is due, and so is one for another key');
    memory.putOff('uid', key, locked);
    pass(seconds - 1);
    assert.deepEqual(memory.recall('uid', key), locked);
    pass(1);
  }
  memory.tried('uid', 'c');
  memory.putOff('uid', 'c', locked);
  pass(59);
  assert.deepEqual(memory.recall('uid', 'c'), locked, 'a step does not shorten it');
  memory.remember('uid', 'c', proven);
  memory.putOff('uid', 'c', locked);
  pass(5);
  assert.equal(memory.recall('uid', 'c'), undefined);
});

test('it is bounded: the entry that was longest not touched goes first', () => {
  const { memory } = newMemory();
  memory.remember('first', 'key', proven);
  memory.remember('second', 'key', proven);
  memory.remember('first', 'key', proven);
  for (let index = 0; index < 19_999; index += 1) memory.remember(`uid-${index}`, 'key', proven);
  assert.equal(memory.recall('second', 'key'), undefined);
  assert.deepEqual(memory.recall('first', 'key'), proven);
});
