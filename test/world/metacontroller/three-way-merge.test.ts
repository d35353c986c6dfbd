import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { KubeObject } from '../kubernetes/client.ts';
import { applyDesired, lastAppliedAnnotation, withLastApplied } from './three-way-merge.ts';

const child = (spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Child',
  metadata: { name: 'a', namespace: 'team' },
  spec,
});

/** `desired` as the API server keeps it after a create, with what it and others added. */
const stored = (desired: KubeObject, spec: Record<string, unknown>): KubeObject => ({
  ...withLastApplied({ ...desired, spec }, desired),
  status: { ready: true },
});

describe('three-way merge', () => {
  it('changes nothing when the desired child says what was applied before', () => {
    const observed = stored(child({ a: 1 }), { a: 1, defaulted: 'x', nested: { by: 'someone else' } });
    assert.deepEqual(applyDesired(observed, child({ a: 1 })), observed);
  });

  it('takes a changed field and leaves fields of others alone', () => {
    const observed = stored(child({ nested: { a: 1 } }), { nested: { a: 1, defaulted: 'x' } });
    const merged = applyDesired(observed, child({ nested: { a: 2 } }));
    assert.deepEqual(merged.spec, { nested: { a: 2, defaulted: 'x' } });
  });

  it('removes a field that was applied before and is no longer desired', () => {
    const observed = stored(child({ a: 1, b: 2 }), { a: 1, b: 2, c: 3 });
    assert.deepEqual(applyDesired(observed, child({ a: 1 })).spec, { a: 1, c: 3 });
  });

  it('puts back a field that somebody edited', () => {
    const observed = stored(child({ a: 1 }), { a: 99 });
    assert.deepEqual(applyDesired(observed, child({ a: 1 })).spec, { a: 1 });
  });

  it('replaces a list whose items have no known key, and so loses defaults inside it', () => {
    const desired = child({ dataFrom: [{ extract: { key: 'k' } }] });
    const observed = stored(desired, { dataFrom: [{ extract: { key: 'k', decodingStrategy: 'None' } }] });
    assert.deepEqual(applyDesired(observed, desired).spec, { dataFrom: [{ extract: { key: 'k' } }] });
  });

  it('merges a list whose items all have a name', () => {
    const observed = stored(child({ items: [{ name: 'a', x: 1 }, { name: 'b' }] }), {
      items: [{ name: 'other', z: 1 }, { name: 'a', x: 1, y: 2 }, { name: 'b' }],
    });
    const merged = applyDesired(observed, child({ items: [{ name: 'c' }, { name: 'a', x: 5 }] }));
    assert.deepEqual(merged.spec, {
      items: [{ name: 'other', z: 1 }, { name: 'a', x: 5, y: 2 }, { name: 'c' }],
    });
  });

  it('cannot change the status or what the API server keeps in metadata', () => {
    const observed = stored(child({}), {});
    observed.metadata.resourceVersion = '7';
    const desired = { ...child({}), status: { ready: false } };
    desired.metadata = { ...desired.metadata, resourceVersion: '1', uid: 'forged' };
    const merged = applyDesired(observed, desired);
    assert.deepEqual(merged.status, { ready: true });
    assert.equal(merged.metadata.resourceVersion, '7');
    assert.equal(merged.metadata.uid, undefined);
  });

  it('remembers the desired child with its keys in alphabetical order', () => {
    const { annotations } = withLastApplied(child({}), child({ b: 1, a: [{ d: 1, c: 2 }] })).metadata;
    assert.match(annotations?.[lastAppliedAnnotation] ?? '', /"spec":\{"a":\[\{"c":2,"d":1\}\],"b":1\}/);
  });

  it('refuses a desired scalar in the place of an observed object', () => {
    assert.throws(
      () => applyDesired(stored(child({}), { a: { b: 1 } }), child({ a: 1 })),
      /expecting an object/,
    );
  });
});
