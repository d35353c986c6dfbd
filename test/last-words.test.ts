import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lastWords } from '../src/last-words.ts';

test('of an error its name, its code and where it happened are told, and not its message', () => {
  const message = 'canary-1\n    at canary-2 (canary-3)';
  const error = Object.assign(new TypeError(message), { code: 'ERR_X', config: 'canary-4' });
  const said = lastWords(error);
  assert.deepEqual([said.name, said.code], ['TypeError', 'ERR_X']);
  assert.match(said.at[0] ?? '', /^at .*last-words\.test\.ts/);
  assert.ok(!JSON.stringify(said).includes('canary'));
});

test('what is no error is told by its type alone', () => {
  for (const thrown of ['canary', { canary: 1 }, undefined]) {
    assert.deepEqual(lastWords(thrown), { name: `a thrown ${typeof thrown}`, at: [] });
  }
});
