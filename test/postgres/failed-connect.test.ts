import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { FailedConnect } from '../../src/postgres/failed-connect.ts';

describe('the memory of a failed connect', () => {
  const unreachable = new Trouble('InstanceUnreachable', 'nothing listens');

  function attempts() {
    let time = 0;
    let count = 0;
    const memory = new FailedConnect(5_000, 30_000, () => time);
    const fail = () =>
      memory.guard(() => {
        count += 1;
        return Promise.reject(unreachable);
      });
    return { memory, fail, count: () => count, advance: (ms: number) => (time += ms) };
  }

  it('answers for the server until its time is over, which doubles up to a limit', async () => {
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

  it('is wiped by a success', async () => {
    const { memory, fail, count, advance } = attempts();
    await assert.rejects(fail());
    advance(5_000);
    assert.equal(await memory.guard(() => Promise.resolve('open')), 'open');
    await assert.rejects(fail());
    advance(5_000);
    await assert.rejects(fail());
    assert.equal(count(), 3);
  });

  it('does not remember a bug', async () => {
    const { memory } = attempts();
    await assert.rejects(memory.guard(() => Promise.reject(new TypeError('bug'))));
    assert.equal(await memory.guard(() => Promise.resolve('open')), 'open');
  });
});
