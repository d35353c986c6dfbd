import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { WorkQueue } from './work-queue.ts';

/** Collects what is worked on; each piece of work ends when the test says so. */
const recorder = () => {
  const started: string[] = [];
  const open: (() => void)[] = [];
  const work = (key: string): Promise<void> => {
    started.push(key);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    open.push(() => resolve(undefined));
    return promise;
  };
  return { started, finishNext: () => open.shift()?.(), work };
};

const withFakeTime = async (run: (tick: (ms: number) => Promise<void>) => Promise<void>): Promise<void> => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  try {
    await run(async (ms) => {
      mock.timers.tick(ms);
      await turn();
    });
  } finally {
    mock.timers.reset();
  }
};

describe('work queue', () => {
  it('works on as many keys at once as there are workers', async () => {
    const { started, finishNext, work } = recorder();
    const queue = new WorkQueue({ workers: 2, maxBackoffMs: 100, work });
    queue.start();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await turn();
    assert.deepEqual(started, ['a', 'b']);
    finishNext();
    await turn();
    assert.deepEqual(started, ['a', 'b', 'c']);
  });

  it('never works on a key twice at once, and comes back once to a key that was added meanwhile', async () => {
    const { started, finishNext, work } = recorder();
    const queue = new WorkQueue({ workers: 5, maxBackoffMs: 100, work });
    queue.start();
    queue.add('a');
    await turn();
    queue.add('a');
    queue.add('a');
    await turn();
    assert.deepEqual(started, ['a']);
    finishNext();
    await turn();
    assert.deepEqual(started, ['a', 'a']);
    finishNext();
    await turn();
    assert.deepEqual(started, ['a', 'a']);
  });

  it('lets the earliest of several delayed additions win', () =>
    withFakeTime(async (tick) => {
      const { started, work } = recorder();
      const queue = new WorkQueue({ workers: 1, maxBackoffMs: 100, work });
      queue.start();
      queue.addAfter('a', 500);
      queue.addAfter('a', 100);
      queue.addAfter('a', 900);
      await tick(99);
      assert.deepEqual(started, []);
      await tick(1);
      assert.deepEqual(started, ['a']);
    }));

  it('doubles the wait after each failure from 5 ms up to the bound, and starts anew after a success', () =>
    withFakeTime(async (tick) => {
      const times: number[] = [];
      const began = Date.now();
      const queue = new WorkQueue({
        workers: 1,
        maxBackoffMs: 30,
        work: (key) => {
          times.push(Date.now() - began);
          if (times.length === 5) queue.forget(key);
          queue.addRateLimited(key);
          return Promise.resolve();
        },
      });
      queue.start();
      queue.add('a');
      await turn();
      for (let ms = 0; ms < 110; ms += 1) await tick(1);
      await queue.shutDown();
      assert.deepEqual(times, [0, 5, 15, 35, 65, 70, 80, 100]);
    }));

  it('takes nothing more after its shutdown and waits for what is under way', async () => {
    const { started, finishNext, work } = recorder();
    const queue = new WorkQueue({ workers: 1, maxBackoffMs: 100, work });
    queue.start();
    queue.add('a');
    queue.add('b');
    await turn();
    let down = false;
    const shutDown = queue.shutDown().then(() => (down = true));
    queue.add('c');
    await turn();
    assert.equal(down, false);
    finishNext();
    await shutDown;
    assert.deepEqual(started, ['a']);
  });
});
