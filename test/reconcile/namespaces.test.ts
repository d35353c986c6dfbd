import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { PostgreSQLInstance } from '../../src/api/instance.ts';
import { selects, servesNamespace } from '../../src/reconcile/namespaces.ts';
import { readyInstance } from './model-state.ts';
import { newWorld } from './points.ts';

type Allowed = NonNullable<PostgreSQLInstance['spec']['allowedNamespaces']>;
type Selector = NonNullable<Allowed['selector']>;

const labels = { team: 'orders', tier: 'gold' };

const selectors: [sentence: string, selector: Selector, selected: boolean][] = [
  ['an empty selector selects everything', {}, true],
  ['empty lists select everything', { matchLabels: {}, matchExpressions: [] }, true],
  ['a label with its value', { matchLabels: { team: 'orders' } }, true],
  ['a label with another value', { matchLabels: { team: 'billing' } }, false],
  ['a label that is not there', { matchLabels: { zone: 'a' } }, false],
  ['all labels must hold', { matchLabels: { team: 'orders', tier: 'silver' } }, false],
  [
    'In: one of the values',
    { matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'gold'] }] },
    true,
  ],
  ['In: none of the values', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['x'] }] }, false],
  ['In: not there', { matchExpressions: [{ key: 'zone', operator: 'In', values: ['x'] }] }, false],
  ['In: without values', { matchExpressions: [{ key: 'tier', operator: 'In' }] }, false],
  ['NotIn: another value', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] }, true],
  ['NotIn: the value', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] }, false],
  ['NotIn: not there', { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['x'] }] }, true],
  ['Exists: there', { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, true],
  ['Exists: not there', { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
  ['DoesNotExist: there', { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, false],
  ['DoesNotExist: not there', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
  [
    'a name that every object inherits is no label',
    { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
    false,
  ],
  [
    'all expressions must hold, and the labels too',
    {
      matchLabels: { team: 'orders' },
      matchExpressions: [
        { key: 'tier', operator: 'Exists' },
        { key: 'team', operator: 'DoesNotExist' },
      ],
    },
    false,
  ],
];

for (const [sentence, selector, selected] of selectors) {
  test(`selector: ${sentence}`, () => {
    assert.equal(selects(selector, labels), selected);
  });
}

const allowances: [sentence: string, allowed: Allowed | undefined, served: boolean, labelReads: number][] = [
  ['absent: all namespaces', undefined, true, 0],
  ['empty: none', {}, false, 0],
  ['named', { names: ['other', 'shop'] }, true, 0],
  ['not named', { names: ['other'] }, false, 0],
  [
    'named, so that labels are not even read',
    { names: ['shop'], selector: { matchLabels: { team: 'x' } } },
    true,
    0,
  ],
  ['not named but selected', { names: ['other'], selector: { matchLabels: { team: 'orders' } } }, true, 1],
  ['neither named nor selected', { names: ['other'], selector: { matchLabels: { team: 'x' } } }, false, 1],
];

for (const [sentence, allowedNamespaces, served, labelReads] of allowances) {
  test(`allowed namespaces: ${sentence}`, async () => {
    const world = newWorld();
    const instance = readyInstance(allowedNamespaces === undefined ? {} : { allowedNamespaces });
    assert.equal(await servesNamespace(world.context.kubernetes, instance, 'shop'), served);
    assert.equal(world.gate.calls.length, labelReads);
  });
}

test('a namespace that is gone has no labels', async () => {
  const instance = readyInstance({ allowedNamespaces: { selector: { matchLabels: { team: 'orders' } } } });
  assert.equal(await servesNamespace(newWorld().context.kubernetes, instance, 'gone'), false);
});
