import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { LateFailures } from '../../src/postgres/late-failures.ts';

const failure = new Trouble('ServerError', 'disk full');

describe('the memory of failures that came too late', () => {
  it('tells each failure once, the newest of a statement', () => {
    const memory = new LateFailures(() => 0);
    memory.add('create a', new Trouble('Busy', 'a lock'));
    memory.add('create a', failure);
    assert.equal(memory.take('create b'), undefined);
    assert.equal(memory.take('create a'), failure);
    assert.equal(memory.take('create a'), undefined);
  });

  it('forgets them after some minutes', () => {
    let now = 0;
    const memory = new LateFailures(() => now);
    memory.add('create a', failure);
    memory.add('create b', failure);
    now = 299_999;
    assert.equal(memory.take('create a'), failure);
    now = 300_000;
    assert.equal(memory.take('create b'), undefined);
  });

  it('keeps the newest thousand', () => {
    const memory = new LateFailures(() => 0);
    for (let index = 0; index < 1_001; index += 1) memory.add(`create ${index}`, failure);
    assert.equal(memory.take('create 0'), undefined);
    assert.equal(memory.take('create 1'), failure);
    assert.equal(memory.take('create 1000'), failure);
  });
});
