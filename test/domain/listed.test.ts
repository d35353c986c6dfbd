import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listed } from '../../src/domain/listed.ts';

const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

// prettier-ignore
const lists: readonly (readonly [count: number, said: string])[] = [
  [0, ''],
  [1, 'a'],
  [2, 'a, b'],
  [5, 'a, b, c, d, e'],
  [6, 'a, b, c, d, e and 1 more'],
  [7, 'a, b, c, d, e and 2 more'],
];

for (const [count, said] of lists) {
  test(`listed: ${count} names are said as "${said}"`, () =>
    assert.equal(listed(many.slice(0, count)), said));
}
