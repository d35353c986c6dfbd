import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { instanceHookRequestShape } from '../../src/api/hook.ts';
import { externalSecretKey } from '../../src/api/external-secret.ts';
import { listOf, mapOf } from '../../src/api/first-fault.ts';
import { readyInstance } from '../reconcile/model-state.ts';

const many = Array.from({ length: 1_000 }, () => 0);
const manyKeys = Object.fromEntries(many.map((zero, index) => [`a${index}`, zero]));
const manyObjects = (object: object) => Object.fromEntries(many.map((_, index) => [`a${index}`, object]));

const instance = readyInstance();
const request = (change: object) => ({
  controller: {},
  parent: instance,
  children: {},
  related: {},
  finalizing: false,
  ...change,
});
const withMetadata = (change: object) =>
  request({ parent: { ...instance, metadata: { ...instance.metadata, ...change } } });

const faulty: readonly [sentence: string, body: object][] = [
  ['finalizers that are no texts', withMetadata({ finalizers: many })],
  ['owners that are no objects', withMetadata({ ownerReferences: many })],
  ['owners without a UID', withMetadata({ ownerReferences: many.map(() => ({})) })],
  ['labels that are no texts', withMetadata({ labels: manyKeys })],
  ['annotations that are no texts', withMetadata({ annotations: manyKeys })],
  ['kinds of children that are no maps', request({ children: manyKeys })],
  ['children that are no objects', request({ children: { 'Pod.v1': manyKeys } })],
  [
    'children that are not what their keys say',
    request({ children: { [externalSecretKey]: manyObjects({ metadata: { name: 'b' } }) } }),
  ],
  ['related objects without a name', request({ related: { x: manyObjects({ metadata: {} }) } })],
  ['keys that no request has', request(manyKeys)],
];

for (const [sentence, body] of faulty) {
  test(`of a thousand ${sentence} one fault is told`, () => {
    assert.equal(instanceHookRequestShape.safeParse(body).error?.issues.length, 1);
  });
}

test('a fault is told with where it is', () => {
  const shape = z.object({ list: listOf(z.object({ map: mapOf(z.string()) })) });
  const { error } = shape.safeParse({ list: [{ map: {} }, { map: { key: 0 } }] });
  assert.deepEqual(error?.issues[0]?.path, ['list', 1, 'map', 'key']);
});

test('what has no fault is read as its shape says', () => {
  const shape = listOf(mapOf(z.object({ kept: z.int() })));
  assert.deepEqual(shape.parse([{ a: { kept: 1, dropped: 2 } }, {}]), [{ a: { kept: 1 } }, {}]);
});
