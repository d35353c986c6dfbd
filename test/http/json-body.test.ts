import assert from 'node:assert/strict';
import { test } from 'node:test';

import { routeThat, trialApp } from './trial-app.ts';

const routes = routeThat(() => Promise.resolve({ here: true }));
const list = (count: number) => Array.from({ length: count }, () => 0);

const counted: readonly [sentence: string, body: unknown, status: number][] = [
  ['as many values as may be', { list: list(49_990) }, 200],
  ['more values in a list', { list: list(50_001) }, 400],
  ['more values in an object', Object.fromEntries(list(50_001).map((_, index) => [`a${index}`, 0])), 400],
  ['more lists of one value', { list: list(25_001).map((zero) => [zero]) }, 400],
  ['more empty lists', { list: list(50_001).map(() => []) }, 400],
  ['as many commas and brackets in texts', { text: ',[{'.repeat(50_001) }, 200],
];

for (const [sentence, body, status] of counted) {
  test(`a body with ${sentence} is ${status}`, async () => {
    const answer = await trialApp({ routes }).post('/tenants/sync', body);
    assert.equal(answer.statusCode, status);
    if (status === 400) assert.deepEqual(answer.json(), { error: 'the body has too many values' });
  });
}
