import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { Batch } from '../../src/postgres/batch.ts';

describe('a batch of reads', () => {
  /** Reads that can be held back before they are sent and before they answer. */
  function controlled() {
    let stuck = 0;
    const sent: string[][] = [];
    const gates: { open: PromiseWithResolvers<undefined>; answer: PromiseWithResolvers<undefined> }[] = [];
    const batch = new Batch<string, string>(
      async (ready) => {
        const gate = {
          open: Promise.withResolvers<undefined>(),
          answer: Promise.withResolvers<undefined>(),
        };
        gates.push(gate);
        await gate.open.promise;
        const queries = [...ready()];
        sent.push(queries);
        await gate.answer.promise;
        return queries.map((query) => query.toUpperCase());
      },
      { patienceMs: 1_000, onStuck: () => (stuck += 1) },
    );
    return { batch, sent, gates, stuck: () => stuck };
  }

  it('joins all that wait before it is sent, and none after', async () => {
    const { batch, sent, gates } = controlled();
    const early = [batch.ask('a'), batch.ask('b')];
    gates[0]?.open.resolve(undefined);
    await new Promise(setImmediate);
    const late = [batch.ask('c'), batch.ask('d')];
    assert.deepEqual(sent, [['a', 'b']]);
    gates[0]?.answer.resolve(undefined);
    assert.deepEqual(await Promise.all(early), ['A', 'B']);
    gates[1]?.open.resolve(undefined);
    gates[1]?.answer.resolve(undefined);
    assert.deepEqual(await Promise.all(late), ['C', 'D']);
    assert.deepEqual(sent, [
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('fails for those that are in it, and the next one starts afresh', async () => {
    const { batch, gates } = controlled();
    const failing = [batch.ask('a'), batch.ask('b')];
    gates[0]?.open.reject(new Error('no connection'));
    for (const result of await Promise.allSettled(failing)) assert.equal(result.status, 'rejected');
    const next = batch.ask('c');
    await new Promise(setImmediate);
    gates[1]?.open.resolve(undefined);
    gates[1]?.answer.resolve(undefined);
    assert.equal(await next, 'C');
  });

  it('sends a statement that is stuck once more, with what has come since; the first answer counts', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batch, sent, gates, stuck } = controlled();
    const first = batch.ask('a');
    gates[0]?.open.resolve(undefined);
    await new Promise(setImmediate);
    const second = batch.ask('b');
    assert.deepEqual([gates.length, stuck()], [1, 0]);
    t.mock.timers.tick(1_000);
    assert.deepEqual([gates.length, stuck()], [2, 1]);
    gates[1]?.open.resolve(undefined);
    gates[1]?.answer.resolve(undefined);
    assert.deepEqual(await Promise.all([first, second]), ['A', 'B']);
    gates[0]?.answer.reject(new Error('too late'));
    await new Promise(setImmediate);
    assert.deepEqual(sent, [['a'], ['a', 'b']]);
  });

  it('fails only when all statements that were sent for a question have failed', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batch, gates } = controlled();
    const asked = batch.ask('a');
    gates[0]?.open.resolve(undefined);
    await new Promise(setImmediate);
    t.mock.timers.tick(1_000);
    gates[1]?.open.reject(new Error('no connection left'));
    await new Promise(setImmediate);
    gates[0]?.answer.resolve(undefined);
    assert.equal(await asked, 'A');
  });

  it('is not sent a third time: a lock that outlasts both is told', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batch, sent, gates } = controlled();
    const asked = batch.ask('a');
    for (const index of [0, 1]) {
      gates[index]?.open.resolve(undefined);
      await new Promise(setImmediate);
      t.mock.timers.tick(1_000);
    }
    const waiting = batch.ask('b');
    assert.equal(gates.length, 2, 'two are stuck: no third statement beside them');
    gates[0]?.answer.reject(new Error('locked'));
    await new Promise(setImmediate);
    gates[1]?.answer.reject(new Error('locked'));
    await assert.rejects(asked, /locked/);
    gates[2]?.open.resolve(undefined);
    gates[2]?.answer.resolve(undefined);
    assert.equal(await waiting, 'B');
    assert.deepEqual(sent, [['a'], ['a'], ['b']]);
  });

  it('is not sent for questions that were answered while they waited to be sent again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batch, sent, gates } = controlled();
    const first = batch.ask('a');
    gates[0]?.open.resolve(undefined);
    await new Promise(setImmediate);
    const second = batch.ask('b');
    t.mock.timers.tick(1_000);
    gates[1]?.open.resolve(undefined);
    await new Promise(setImmediate);
    t.mock.timers.tick(1_000);
    gates[1]?.answer.resolve(undefined);
    assert.deepEqual(await Promise.all([first, second]), ['A', 'B']);
    await new Promise(setImmediate);
    assert.deepEqual([gates.length, sent], [2, [['a'], ['a', 'b']]]);
  });

  it('waits for a connection with all that come, however long it takes to open', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batch, gates } = controlled();
    const first = batch.ask('a');
    t.mock.timers.tick(10_000);
    const second = batch.ask('b');
    assert.equal(gates.length, 1);
    gates[0]?.open.resolve(undefined);
    gates[0]?.answer.resolve(undefined);
    assert.deepEqual(await Promise.all([first, second]), ['A', 'B']);
  });

  it('spreads those that a lock turned away over the seconds', async () => {
    const { batch, gates } = controlled();
    const asked = Array.from({ length: 200 }, (_, index) => batch.ask(`q${index}`));
    gates[0]?.open.reject(new Trouble('Busy', 'a lock', { retryAfterSeconds: 2 }));
    const seconds = await Promise.all(
      asked.map((one) => one.catch((error: unknown) => (error as Trouble).retryAfterSeconds)),
    );
    assert.deepEqual([...new Set(seconds)], [2, 3, 4, 5]);
  });
});
