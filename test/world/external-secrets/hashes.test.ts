import assert from 'node:assert/strict';
import { it } from 'node:test';

import { resourceVersionOf } from './hashes.ts';

const metadata = { name: 'a', generation: 3 };

it('synced resource versions are those of the real controller for an object without labels and annotations', () => {
  assert.equal(resourceVersionOf(metadata), '3-f47fe3c0b255b6dd8047cdffa772587bb829efe7a1cb70febeda2eb2');
  assert.equal(resourceVersionOf({ ...metadata, labels: {} }), resourceVersionOf(metadata));
});

it('synced resource versions follow generation, labels and annotations, and no order of keys', () => {
  const one = resourceVersionOf({ ...metadata, labels: { a: '1', b: '2' }, annotations: { c: '3' } });
  assert.equal(one, resourceVersionOf({ ...metadata, labels: { b: '2', a: '1' }, annotations: { c: '3' } }));
  assert.notEqual(
    one,
    resourceVersionOf({ ...metadata, labels: { c: '3' }, annotations: { a: '1', b: '2' } }),
  );
  assert.notEqual(one, resourceVersionOf({ ...metadata, generation: 4, labels: { a: '1', b: '2' } }));
  assert.match(one, /^3-[0-9a-f]{56}$/);
});
