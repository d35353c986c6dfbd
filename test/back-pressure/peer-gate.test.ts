import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { PeerGate, type Sign } from '../../src/back-pressure/peer-gate.ts';
import { Trouble } from '../../src/errors.ts';

const unreachable = new Trouble('InstanceUnreachable', 'no answer in time');

interface Setting {
  readonly checks?: () => Promise<Sign>;
  readonly known?: () => Trouble | undefined;
}

/** With a question mark where nobody knows what became of a write. */
const nameOf = ({ reason, outcomeUnknown }: Trouble) => (outcomeUnknown ? `${reason}?` : reason);

const settled = () => new Promise(setImmediate);

/** A gate on a clock that the test moves, and calls that end when the test says so. */
function gateOn(t: TestContext, { checks, known }: Setting = {}) {
  let now = 0;
  let deaths = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const gate = new PeerGate({
    peer: 'the peer',
    unreachable: 'InstanceUnreachable',
    budget: 2,
    silentMs: 1_000,
    concludeMs: 6_000,
    firstRetryMs: 5_000,
    lastRetryMs: 20_000,
    now: () => now,
    onDeath: () => (deaths += 1),
    ...(checks === undefined ? {} : { check: checks }),
    ...(known === undefined ? {} : { known }),
  });
  const made: PromiseWithResolvers<string>[] = [];
  const outcomes: string[] = [];
  const call = (kind?: 'read' | 'write' | 'outlived') =>
    gate
      .pass(() => {
        const answer = Promise.withResolvers<string>();
        made.push(answer);
        return answer.promise;
      }, kind)
      .then(
        (value) => outcomes.push(value),
        (error: unknown) => outcomes.push(nameOf(error as Trouble)),
      );
  /** In steps, so that timers set by timers count. */
  const pass = async (ms: number) => {
    await settled();
    for (let left = ms; left > 0; left -= 100) {
      now += Math.min(100, left);
      t.mock.timers.tick(Math.min(100, left));
      await settled();
    }
  };
  const calls = async (count: number, kind?: 'read' | 'write' | 'outlived') => {
    await settled();
    for (let index = 0; index < count; index += 1) void call(kind);
    await settled();
  };
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
  return { gate, made, outcomes, calls, count, pass, deaths: () => deaths };
}

test('any number of calls may wait for a peer that answers within a second', async (t) => {
  const { gate, made, outcomes, calls, pass } = gateOn(t);
  await calls(50);
  await pass(900);
  assert.equal(gate.waiting, 50);
  for (const { resolve } of made) resolve('answer');
  await pass(100);
  assert.deepEqual(outcomes, Array(50).fill('answer'));
  assert.equal(gate.silent, false);
});

test('when a peer has been silent for a second two calls wait on, and all others are turned away at once', async (t) => {
  const { gate, made, calls, count, pass } = gateOn(t);
  await calls(50);
  await pass(1_000);
  assert.deepEqual([gate.waiting, count('Busy'), gate.silent], [2, 48, true]);
  await calls(50);
  assert.deepEqual([gate.waiting, count('Busy')], [2, 98]);
  assert.equal(made.length, 50, 'no call was made for those that came later');
});

test('one answer of any kind makes it whole again, but not a lock, a bug or the end of a wait', async (t) => {
  const { gate, made, calls, pass } = gateOn(t);
  await calls(2);
  await calls(2, 'outlived');
  await pass(1_000);
  made[0]?.reject(new Trouble('Busy', 'a lock'));
  made[1]?.reject(new TypeError('bug'));
  made[2]?.resolve('the time was up');
  await pass(100);
  assert.equal(gate.silent, true);
  made[3]?.reject(new Trouble('PermissionDenied', 'no'));
  await pass(100);
  assert.equal(gate.silent, false);
});

test('writes are kept before reads, and then those that have waited longest', async (t) => {
  const { made, outcomes, calls, pass } = gateOn(t);
  await calls(1);
  await pass(100);
  await calls(3);
  await calls(1, 'write');
  await pass(1_000);
  assert.deepEqual(outcomes, ['Busy', 'Busy', 'Busy']);
  made[0]?.resolve('the oldest');
  made[4]?.resolve('the write');
  await pass(100);
  assert.deepEqual(outcomes.slice(3), ['the oldest', 'the write']);
});

test('those that are turned away are told when it will be known, one after the other', async (t) => {
  const { gate, pass } = gateOn(t);
  const told = Array.from({ length: 202 }, () =>
    gate
      .pass(() => new Promise(() => undefined))
      .then(
        () => undefined,
        (error: unknown) => (error as Trouble).retryAfterSeconds,
      ),
  );
  await pass(1_000);
  const seconds = await Promise.all(told.slice(2));
  assert.equal(seconds[0], 6);
  assert.equal(seconds.at(-1), 10);
});

test('silence to the end is remembered: calls end at once, then one goes ahead, and tells for all after a second', async (t) => {
  const { made, outcomes, calls, pass, count } = gateOn(t);
  await calls(1);
  await pass(4_000);
  made[0]?.reject(unreachable);
  await calls(20);
  assert.deepEqual(outcomes, Array(21).fill('InstanceUnreachable'));
  assert.equal(made.length, 1);
  await pass(5_000);
  await calls(20);
  assert.equal(made.length, 2, 'one goes ahead');
  assert.equal(count('InstanceUnreachable'), 40);
  await pass(1_000);
  assert.equal(count('InstanceUnreachable'), 41, 'and is told what is known');
  made[1]?.resolve('late');
  await calls(2);
  assert.equal(made.length, 4, 'its late answer counts');
});

test('a quick refusal is no silence and is not remembered', async (t) => {
  const { made, calls, pass } = gateOn(t);
  for (let index = 0; index < 3; index += 1) {
    await calls(1);
    made[index]?.reject(unreachable);
    await pass(100);
  }
  assert.equal(made.length, 3);
});

test('a check that finds life lets everybody pass, and is made more rarely while one call takes its time', async (t) => {
  let checked = 0;
  const checks = () => {
    checked += 1;
    return Promise.resolve<Sign>('alive');
  };
  const { gate, calls, count, pass } = gateOn(t, { checks });
  await calls(3);
  await pass(1_100);
  assert.deepEqual([checked, gate.silent], [1, false]);
  await calls(10);
  assert.deepEqual([gate.waiting, count('Busy')], [12, 1]);
  await pass(30_000);
  assert.ok(checked <= 10, `${checked} checks in half a minute`);
});

test('a check that finds death ends every wait with the trouble; of a write nobody knows the outcome', async (t) => {
  const sign = Promise.withResolvers<Sign>();
  const { gate, outcomes, calls, pass, deaths } = gateOn(t, { checks: () => sign.promise });
  await calls(1);
  await calls(1, 'write');
  await pass(1_500);
  sign.resolve(unreachable);
  await pass(100);
  assert.deepEqual(outcomes, ['InstanceUnreachable', 'InstanceUnreachable?']);
  assert.deepEqual([gate.waiting, deaths()], [0, 1]);
  await calls(5);
  assert.equal(outcomes.length, 7, 'known by now');
});

test('a check that cannot tell changes nothing and is made again', async (t) => {
  let checked = 0;
  const checks = () => {
    checked += 1;
    return Promise.resolve<Sign>('unsure');
  };
  const { gate, calls, pass } = gateOn(t, { checks });
  await calls(2);
  await pass(5_000);
  assert.ok(checked >= 3);
  assert.deepEqual([gate.waiting, gate.silent], [2, true]);
});

test('what is known from elsewhere is told at once, and to those that wait after a second', async (t) => {
  const elsewhere: { known?: Trouble } = {};
  const { gate, outcomes, calls, pass } = gateOn(t, { known: () => elsewhere.known });
  await calls(5);
  elsewhere.known = unreachable;
  await calls(5);
  assert.equal(outcomes.length, 5);
  await pass(1_000);
  assert.deepEqual(outcomes, Array(10).fill('InstanceUnreachable'));
  assert.equal(gate.waiting, 0);
});
