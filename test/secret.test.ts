import assert from 'node:assert/strict';
import { format, inspect } from 'node:util';
import { test } from 'node:test';

import { Secret } from '../src/secret.ts';

const canary = 'CANARY1234567890';
const secret = new Secret(canary);

test('a Secret prints as [secret] whichever way it is turned into text', () => {
  const texts = [
    String(secret),
    JSON.stringify(secret),
    JSON.stringify({ deep: [secret] }),
    inspect(secret),
    inspect({ deep: [secret] }, { depth: null, showHidden: true, getters: true }),
    inspect(secret, { customInspect: false, showHidden: true }),
    format('%s %o %O %j', secret, secret, secret, secret),
    // eslint-disable-next-line @typescript-eslint/restrict-template-expressions -- this is what must be safe
    `${secret}`,
    new Error('failed', { cause: secret }).stack ?? '',
    inspect(new Error('failed', { cause: secret })),
    JSON.stringify(Object.entries(secret)),
  ];
  for (const text of texts) assert.doesNotMatch(text, new RegExp(canary));
  assert.equal(String(secret), '[secret]');
  assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}');
});

test('reveal is the way out', () => {
  assert.equal(secret.reveal(), canary);
});

test('two Secrets are equal when their values are', () => {
  assert.ok(secret.equals(new Secret(canary)));
  assert.ok(!secret.equals(new Secret(`${canary} `)));
});
