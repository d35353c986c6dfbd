import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type AtEnd, closable } from './closable.ts';

/** Parts that write down who was ended, and one of which cannot be. */
function parts(atEnd: AtEnd, ended: string[], broken?: string): void {
  for (const name of ['first', 'second', 'third'])
    atEnd(() => {
      ended.push(name);
      return name === broken ? Promise.reject(new Error(`${name} hangs`)) : Promise.resolve();
    });
}

test('What was started last is ended first, and nothing twice', async () => {
  const ended: string[] = [];
  const whole = await closable((atEnd) => {
    parts(atEnd, ended);
    return Promise.resolve({ answer: 42 });
  });
  assert.equal(whole.answer, 42);
  await whole.close();
  await whole.close();
  assert.deepEqual(ended, ['third', 'second', 'first']);
});

test('A part that cannot be ended keeps none of the others, and is told of', async () => {
  const ended: string[] = [];
  const whole = await closable((atEnd) => {
    parts(atEnd, ended, 'second');
    return Promise.resolve({});
  });
  await assert.rejects(whole.close(), ({ errors }: AggregateError) => {
    assert.deepEqual(errors, [new Error('second hangs')]);
    return true;
  });
  assert.deepEqual(ended, ['third', 'second', 'first']);
});

test('An end that fails before it gives a promise keeps none of the others', async () => {
  const ended: string[] = [];
  const whole = await closable((atEnd) => {
    parts(atEnd, ended);
    atEnd(() => {
      throw new Error('at once');
    });
    return Promise.resolve({});
  });
  await assert.rejects(whole.close(), AggregateError);
  assert.deepEqual(ended, ['third', 'second', 'first']);
});

test('When the building fails, what was started is ended, and the failure is thrown as it is', async () => {
  const ended: string[] = [];
  const failing = closable((atEnd) => {
    parts(atEnd, ended);
    return Promise.reject(new Error('no luck'));
  });
  await assert.rejects(failing, new Error('no luck'));
  assert.deepEqual(ended, ['third', 'second', 'first']);
});

test('When the building fails and the ending too, the reason is still the first failure', async () => {
  const failing = closable((atEnd) => {
    parts(atEnd, [], 'first');
    return Promise.reject(new Error('no luck'));
  });
  await assert.rejects(failing, ({ message, errors }: AggregateError) => {
    assert.equal(message, 'Error: no luck');
    assert.deepEqual(errors[0], new Error('no luck'));
    return true;
  });
});
