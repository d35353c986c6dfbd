import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decodeCompositeResponse, decodeCustomizeResponse, HookPanic } from './hook-response.ts';

const child = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } };

describe('an answer to sync', () => {
  it('means an empty status and no children where it says nothing or null', () => {
    const nothing = { status: {}, children: [], resyncAfterSeconds: 0, finalized: false };
    assert.deepEqual(decodeCompositeResponse('sync', '{}'), nothing);
    const nulls = { status: null, children: null, resyncAfterSeconds: null, finalized: null };
    assert.deepEqual(decodeCompositeResponse('sync', JSON.stringify(nulls)), nothing);
    assert.deepEqual(decodeCompositeResponse('sync', 'null'), nothing);
  });

  it('keeps anything inside status and children', () => {
    const answer = { status: { any: { thing: [1] } }, children: [{ ...child, more: { x: 1 } }] };
    const decoded = decodeCompositeResponse('sync', JSON.stringify(answer));
    assert.deepEqual(decoded.status, answer.status);
    assert.deepEqual(decoded.children, answer.children);
  });

  for (const [fault, text] of [
    ['no JSON', '<html>'],
    ['an unknown key', '{"stauts": {}}'],
    ['a child without kind', '{"children": [{"apiVersion": "v1", "metadata": {"name": "x"}}]}'],
    ['a text for a number', '{"resyncAfterSeconds": "5"}'],
    ['a list as a whole', '[]'],
  ] as const)
    it(`with ${fault} fails`, () => {
      assert.throws(() => decodeCompositeResponse('sync', text), /webhookResponse/);
    });

  it('with a null child is a crash', () => {
    assert.throws(
      () => decodeCompositeResponse('sync', JSON.stringify({ children: [child, null] })),
      HookPanic,
    );
  });
});

describe('an answer to customize', () => {
  it('is a list of rules under relatedResources', () => {
    const rule = { apiVersion: 'v1', resource: 'secrets', namespace: 'a', names: ['x'] };
    assert.deepEqual(decodeCustomizeResponse(JSON.stringify({ relatedResources: [rule] })), [rule]);
    assert.deepEqual(decodeCustomizeResponse('{}'), []);
  });

  it('is refused as a bare list, with names beside a selector, and with a misspelt rule', () => {
    const rule = { apiVersion: 'v1', resource: 'secrets' };
    assert.throws(() => decodeCustomizeResponse(JSON.stringify([rule])), /can't unmarshal/);
    const both = { ...rule, names: ['x'], labelSelector: {} };
    assert.throws(() => decodeCustomizeResponse(JSON.stringify({ relatedResources: [both] })), /both names/);
    const misspelt = { ...rule, name: 'x' };
    assert.throws(() => decodeCustomizeResponse(JSON.stringify({ relatedResources: [misspelt] })), /name/);
  });
});
