import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubeObject } from './client.ts';
import { crds } from './resources.ts';
import { eventually, refusalOf, withApi } from './test-api.ts';
import type { Schema } from './structural-schema.ts';
import { widget, widgetCrd, widgets } from './widget.ts';

const inSpec = (property: unknown) =>
  widgetCrd({ spec: { type: 'object', properties: { it: property as Schema } } });
const withRule = (rule: string, more: object = {}) =>
  inSpec({
    type: 'object',
    properties: { n: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule, ...more }],
  });

const refusals: readonly [string, KubeObject, RegExp][] = [
  [
    'another name',
    { ...inSpec({ type: 'string' }), metadata: { name: 'w.example.org' } },
    /metadata\.name: .*must be spec\.names\.plural\+"\."\+spec\.group/,
  ],
  ['no type', inSpec({ description: 'x' }), /properties\[it\]\.type: Required value: must not be empty/],
  [
    'two types',
    inSpec({ type: ['string', 'null'] }),
    /properties\[it\]\.type: Invalid value: .*must be a text/,
  ],
  [
    'a keyword of newer drafts',
    inSpec({ const: 1 }),
    /properties\[it\]\.const: Forbidden: unknown or unsupported field/,
  ],
  [
    'a number in exclusiveMinimum',
    inSpec({ type: 'integer', exclusiveMinimum: 0 }),
    /exclusiveMinimum: Invalid value: 0: must be a flag/,
  ],
  [
    'additionalProperties: false',
    inSpec({ type: 'object', additionalProperties: false }),
    /additionalProperties: Forbidden/,
  ],
  [
    'properties beside additionalProperties',
    inSpec({ type: 'object', properties: {}, additionalProperties: true }),
    /must not be used together with properties/,
  ],
  ['a list without items', inSpec({ type: 'array' }), /items: Required value/],
  [
    'a map key that may be absent',
    inSpec({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' } } },
    }),
    /must have a default or be a required property/,
  ],
  [
    'a default against its own schema',
    inSpec({ type: 'string', enum: ['a'], default: 'b' }),
    /default: Invalid value: "b": supported values: "a"/,
  ],
  [
    'look-ahead in a pattern',
    inSpec({ type: 'string', pattern: '^(?!pg_)' }),
    /pattern: .*must be a valid regular expression/,
  ],
  [
    'a rule with a syntax error',
    withRule('self.n >'),
    /x-kubernetes-validations\[0\]\.rule: .*compilation failed/,
  ],
  ['a rule about an unknown field', withRule('self.m > 1'), /compilation failed: No such key: m/],
  [
    'a rule that mixes types',
    withRule('self.n == "a"'),
    /compilation failed: no such overload: int == string/,
  ],
  ['a rule that is no condition', withRule('self.n + 1'), /must evaluate to a bool/],
  [
    'a message that is no text',
    withRule('self.n > 1', { messageExpression: 'self.n' }),
    /must evaluate to a string/,
  ],
  ['an unknown reason', withRule('self.n > 1', { reason: 'Bad' }), /reason: Unsupported value: "Bad"/],
  [
    'oldSelf in a list without keys',
    inSpec({
      type: 'array',
      items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
    }),
    /oldSelf cannot be used on the uncorrelatable portion/,
  ],
];

test('definitions that the API server would not take are refused', async () => {
  await withApi([], async (client) => {
    for (const [title, definition, message] of refusals) {
      const refusal = await refusalOf(client.create(crds, definition));
      assert.equal(refusal.code, 422, title);
      assert.match(refusal.message, message, title);
    }
    assert.deepEqual((await client.list(crds)).items, []);
  });
});

test('groups below k8s.io need the approval annotation', async () => {
  await withApi([], async (client) => {
    const definition = widgetCrd({ spec: { type: 'object' } });
    const moved = {
      ...definition,
      metadata: { name: 'widgets.example.k8s.io' },
      spec: { ...definition.spec, group: 'example.k8s.io' },
    };
    assert.match(
      (await refusalOf(client.create(crds, moved))).message,
      /annotations\[api-approved\.kubernetes\.io\]: Required value/,
    );
  });
});

test('a definition is Established and served as soon as it is created', async () => {
  await withApi([], async (client) => {
    assert.equal((await refusalOf(client.list(widgets))).code, 404);
    const { status } = await client.create(crds, widgetCrd({ spec: { type: 'object' } }));
    const conditions = status?.['conditions'] as { type: string; status: string }[];
    assert.deepEqual(
      conditions.map(({ type, status: is }) => [type, is]),
      [
        ['NamesAccepted', 'True'],
        ['Established', 'True'],
      ],
    );
    assert.deepEqual(status?.['storedVersions'], ['v1']);
    assert.deepEqual((await client.list(widgets)).items, []);
  });
});

test('a cluster-scoped kind is served outside of namespaces only', async () => {
  await withApi([widgetCrd({ spec: { type: 'object' }, scope: 'Cluster' })], async (client) => {
    const object = { ...widget('a'), metadata: { name: 'a' } };
    const created = await client.create(widgets, object);
    assert.equal(created.metadata.namespace, undefined);
    assert.equal((await refusalOf(client.create(widgets, widget('b')))).code, 404);
  });
});

test('deleting a definition deletes its objects first, with their finalizers', async () => {
  await withApi([widgetCrd({ spec: { type: 'object' } })], async (client) => {
    await client.create(widgets, widget('plain'));
    const held = widget('held');
    await client.create(widgets, { ...held, metadata: { ...held.metadata, finalizers: ['a.b/c'] } });
    await client.delete(crds, 'widgets.example.org');
    await eventually(
      'only the held one is left',
      async () => (await client.list(widgets)).items.length === 1,
    );
    assert.equal((await refusalOf(client.create(widgets, widget('late')))).code, 405);
    assert.notEqual(await client.get(crds, 'widgets.example.org'), undefined);
    await client.patch(widgets, 'held', 'default', { metadata: { finalizers: [] } });
    await eventually(
      'the definition is gone',
      async () => (await client.get(crds, 'widgets.example.org')) === undefined,
    );
    assert.equal((await refusalOf(client.list(widgets))).code, 404);
  });
});
