import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Batch } from '../../src/postgres/batch.ts';

describe('a batch of reads', () => {
  /** Reads that can be held back before they are sent and before they answer. */
  function controlled() {
    const sent: string[][] = [];
    const gates: { open: PromiseWithResolvers<undefined>; answer: PromiseWithResolvers<undefined> }[] = [];
    const batch = new Batch<string, string>(async (ready) => {
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
    });
    return { batch, sent, gates };
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
});
