import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FailureMemory } from '../../src/back-pressure/failure-memory.ts';
import { Trouble } from '../../src/errors.ts';

describe('the memory of a failure', () => {
  const unreachable = new Trouble('InstanceUnreachable', 'nothing listens');

  function attempts() {
    let time = 0;
    let count = 0;
    const memory = new FailureMemory({ firstMs: 5_000, lastMs: 30_000, now: () => time });
    const fail = () =>
      memory.guard(() => {
        count += 1;
        return Promise.reject(unreachable);
      });
    return { memory, fail, count: () => count, advance: (ms: number) => (time += ms) };
  }

  it('is told in place of an attempt until its time is over, which doubles up to a limit', async () => {
    const { fail, count, advance } = attempts();
    for (const delay of [5_000, 10_000, 20_000, 30_000, 30_000]) {
      const before = count();
      await assert.rejects(fail(), unreachable);
      assert.equal(count(), before + 1);
      advance(delay - 1);
      await assert.rejects(fail(), unreachable);
      assert.equal(count(), before + 1);
      advance(1);
    }
  });

  it('is told to all but one while that one attempt is under way after its time', async () => {
    const { memory, fail, count, advance } = attempts();
    await assert.rejects(fail());
    advance(5_000);
    const probe = Promise.withResolvers<string>();
    const probing = memory.guard(() => probe.promise);
    for (let index = 0; index < 50; index += 1) await assert.rejects(fail(), unreachable);
    assert.equal(count(), 1);
    probe.resolve('open');
    assert.equal(await probing, 'open');
    await assert.rejects(fail(), unreachable);
    assert.equal(count(), 2);
  });

  it('holds up nobody before anything has failed: all may try at once', async () => {
    const { memory } = attempts();
    const open = Promise.withResolvers<string>();
    const all = Promise.all(Array.from({ length: 5 }, () => memory.guard(() => open.promise)));
    open.resolve('open');
    assert.equal((await all).length, 5);
  });

  it('is wiped by a success', async () => {
    const { memory, fail, count, advance } = attempts();
    await assert.rejects(fail());
    advance(5_000);
    assert.equal(await memory.guard(() => Promise.resolve('open')), 'open');
    assert.equal(memory.last, undefined);
    await assert.rejects(fail());
    advance(5_000);
    await assert.rejects(fail());
    assert.equal(count(), 3);
  });

  it('tells how old the last failure is, also when its time is over, until something succeeds', async () => {
    const { memory, fail, advance } = attempts();
    assert.equal(memory.ageMs, undefined);
    await assert.rejects(fail());
    advance(60_000);
    assert.deepEqual([memory.trouble, memory.ageMs], [undefined, 60_000]);
    await assert.rejects(fail());
    assert.equal(memory.ageMs, 0);
    advance(10_000);
    await memory.guard(() => Promise.resolve('open'));
    assert.equal(memory.ageMs, undefined);
  });

  it('does not hold a bug', async () => {
    const { memory } = attempts();
    await assert.rejects(memory.guard(() => Promise.reject(new TypeError('bug'))));
    assert.equal(await memory.guard(() => Promise.resolve('open')), 'open');
  });
});
