import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isMountPath, keyOf } from '../../src/openbao/path.ts';
import { examplePath } from './example.ts';

const path = examplePath('orders.v2');

test('a key has installation, namespace, name and UID', () => {
  assert.equal(keyOf(path, 'pg-tenants'), 'prod/shop/orders.v2/5b2c1c35-5c1f-4d6c-9c2b-6a2f5e0c7a11');
});

const badSegments = [
  '',
  '.',
  '..',
  'a/b',
  'a%2fb',
  '%2e%2e',
  'a..b',
  '-a',
  'a-',
  'a.',
  'A',
  'ä',
  'a b',
  'a\n',
  'a?b',
  'a#b',
];
badSegments.push('x'.repeat(254));

for (const key of ['installation', 'namespace', 'name', 'tenantUid'] as const) {
  test(`no other character gets into the path through ${key}`, () => {
    for (const bad of badSegments)
      assert.throws(() => keyOf({ ...path, [key]: bad }, 'pg-tenants'), Error, bad);
  });
}

test('an installation that is named like the mount is refused: External Secrets would cut it off', () => {
  assert.throws(() => keyOf(path, 'prod'));
  assert.throws(() => keyOf(path, 'prod/kv'));
  assert.ok(keyOf(path, 'production'));
});

test('a mount is one or more segments without slashes around them', () => {
  for (const good of ['kv', 'kv/pg_tenants', 'PG-1.2']) assert.ok(isMountPath(good), good);
  for (const bad of ['', '/', 'kv/', '/kv', 'a//b', '..', 'a/../b', 'a..b', 'a b', 'a%2fb', '-a', 'kv\n']) {
    assert.ok(!isMountPath(bad), bad);
  }
});
