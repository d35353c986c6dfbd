import assert from 'node:assert/strict';
import { test } from 'node:test';

import axios from 'axios';

import { refusalOf, withApi } from './test-api.ts';
import type { Schema } from './structural-schema.ts';
import { widget, widgetCrd, widgets } from './widget.ts';

const spec: Schema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', format: 'int32', minimum: 1, maximum: 9 },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 0.5 },
    color: { type: 'string', enum: ['red', 'green'] },
    code: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
    address: { type: 'string', format: 'ipv4' },
    time: { type: 'string', format: 'date-time' },
    note: { type: 'string', nullable: true },
    tags: {
      type: 'array',
      maxItems: 2,
      minItems: 1,
      items: { type: 'string' },
      'x-kubernetes-list-type': 'set',
    },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, mode: { type: 'string', default: 'auto' } },
      },
    },
    labels: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    limit: { 'x-kubernetes-int-or-string': true },
    nested: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
    one: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
  },
};
const crd = widgetCrd({ spec });

const refusals: readonly [string, Record<string, unknown>, string][] = [
  ['a missing member', {}, 'spec.size: Required value'],
  [
    'a wrong type',
    { size: 'x' },
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ],
  [
    'a fraction',
    { size: 1.5 },
    'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
  ],
  [
    'a small number',
    { size: 0 },
    'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ],
  [
    'a big number',
    { size: 10 },
    'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
  ],
  [
    'an exclusive bound',
    { size: 1, ratio: 0 },
    'spec.ratio: Invalid value: 0: spec.ratio in body should be greater than 0',
  ],
  [
    'a multiple',
    { size: 1, ratio: 0.7 },
    'spec.ratio: Invalid value: 0.7: spec.ratio in body should be a multiple of 0.5',
  ],
  [
    'an enum',
    { size: 1, color: 'blue' },
    'spec.color: Unsupported value: "blue": supported values: "red", "green"',
  ],
  [
    'a pattern',
    { size: 1, code: 'AB' },
    'spec.code: Invalid value: "AB": spec.code in body should match \'^[a-z]+$\'',
  ],
  [
    'a short text',
    { size: 1, code: 'a' },
    'spec.code: Invalid value: "a": spec.code in body should be at least 2 chars long',
  ],
  ['a long text', { size: 1, code: 'abcde' }, 'spec.code: Too long: may not be more than 4 bytes'],
  [
    'a format',
    { size: 1, address: '::1' },
    'spec.address: Invalid value: "::1": spec.address in body must be of type ipv4: "::1"',
  ],
  [
    'a time',
    { size: 1, time: 'noon' },
    'spec.time: Invalid value: "noon": spec.time in body must be of type date-time: "noon"',
  ],
  ['too many items', { size: 1, tags: ['a', 'b', 'c'] }, 'spec.tags: Too many: 3: must have at most 2 items'],
  [
    'too few items',
    { size: 1, tags: [] },
    'spec.tags: Invalid value: []: spec.tags in body should have at least 1 items',
  ],
  ['a set with duplicates', { size: 1, tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"'],
  [
    'equal map keys',
    { size: 1, parts: [{ name: 'a' }, { name: 'a', mode: 'x' }] },
    'spec.parts[1]: Duplicate value: {"name":"a"}',
  ],
  ['a fault in an item', { size: 1, parts: [{}] }, 'spec.parts[0].name: Required value'],
  [
    'too many properties',
    { size: 1, labels: { a: 'b', c: 'd' } },
    'spec.labels: Too many: 2: must have at most 1 items',
  ],
  [
    'a value of a free map',
    { size: 1, labels: { a: 1 } },
    'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
  ],
  [
    'int or string',
    { size: 1, limit: true },
    'spec.limit: Invalid value: "boolean": spec.limit in body must be of type integer,string: "boolean"',
  ],
  [
    'neither of oneOf',
    { size: 1, one: {} },
    'spec.one: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
  ],
  [
    'both of oneOf',
    { size: 1, one: { a: '', b: '' } },
    'spec.one: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    'several faults',
    { color: 'blue' },
    '[spec.size: Required value, spec.color: Unsupported value: "blue": supported values: "red", "green"]',
  ],
];

test('every bound of a schema is enforced in the words of the API server', async () => {
  await withApi([crd], async (client) => {
    for (const [title, faulty, message] of refusals) {
      const refusal = await refusalOf(client.create(widgets, widget('orders', faulty)));
      assert.equal(refusal.code, 422, title);
      assert.equal(refusal.reason, 'Invalid', title);
      assert.equal(refusal.message, `Widget.example.org "orders" is invalid: ${message}`, title);
    }
  });
});

test('values at the bounds pass', async () => {
  await withApi([crd], async (client) => {
    const fine = {
      size: 9,
      ratio: 0.5,
      color: 'green',
      code: 'éé'.replaceAll('é', 'ab'),
      address: '192.0.2.1',
      time: '2026-01-02T03:04:05Z',
      tags: ['a', 'b'],
      labels: { a: 'b' },
      limit: '10%',
      one: { b: 'x' },
    };
    const created = await client.create(widgets, widget('a', fine));
    assert.deepEqual(created.spec, { ...fine, nested: { deep: true } });
  });
});

test('defaults are filled in, also inside of lists and of defaulted objects', async () => {
  await withApi([crd], async (client) => {
    const created = await client.create(widgets, widget('a', { size: 1, parts: [{ name: 'x' }] }));
    assert.deepEqual(created.spec, {
      size: 1,
      parts: [{ name: 'x', mode: 'auto' }],
      nested: { deep: true },
    });
  });
});

test('a null is kept where it is nullable, takes the default where there is one, and goes elsewhere', async () => {
  await withApi([crd], async (client) => {
    const given = { size: 1, note: null, color: null, nested: null, parts: [{ name: 'x', mode: null }] };
    const created = await client.create(widgets, widget('a', given));
    assert.deepEqual(created.spec, {
      size: 1,
      note: null,
      nested: { deep: true },
      parts: [{ name: 'x', mode: 'auto' }],
    });
  });
});

test('unknown fields are dropped with a warning, kept where the schema says so, and refused under Strict', async () => {
  await withApi([crd], async (client, api) => {
    const object = { ...widget('a', { size: 1, foo: 2, free: { any: [1] } }), extra: true };
    const url = `${api.url}/apis/example.org/v1/namespaces/default/widgets`;
    const strict = await axios.post<{ message: string }>(`${url}?fieldValidation=Strict`, object, {
      validateStatus: () => true,
    });
    assert.equal(strict.status, 400);
    assert.equal(
      strict.data.message,
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo", unknown field "extra"',
    );
    const { data, headers } = await axios.post<{ spec: unknown; extra?: unknown }>(url, object);
    assert.deepEqual(data.spec, { size: 1, free: { any: [1] }, nested: { deep: true } });
    assert.equal(data.extra, undefined);
    assert.match(String(headers['warning']), /unknown field \\"spec\.foo\\"/);
    assert.equal((await client.list(widgets)).items.length, 1);
  });
});

test('status writes are pruned and validated too', async () => {
  await withApi([crd], async (client) => {
    const created = await client.create(widgets, widget('a', { size: 1 }));
    const pruned = await client.updateStatus(widgets, {
      ...created,
      status: { phase: 'A', foo: 1, observedGeneration: null },
    });
    assert.deepEqual(pruned.status, { phase: 'A' });
    const refusal = await refusalOf(client.updateStatus(widgets, { ...pruned, status: { phase: 1 } }));
    assert.match(refusal.message, /status\.phase: Invalid value: "integer"/);
  });
});

test('what was stored before a stricter schema can be kept, but not made anew', async () => {
  await withApi(
    [widgetCrd({ spec: { type: 'object', properties: { code: { type: 'string' } } } })],
    async (client) => {
      const created = await client.create(widgets, widget('a', { code: 'OLD' }));
      const definitions = {
        group: 'apiextensions.k8s.io',
        version: 'v1',
        plural: 'customresourcedefinitions',
      };
      await client.patch(
        definitions,
        'widgets.example.org',
        undefined,
        widgetCrd({
          spec: {
            type: 'object',
            properties: { code: { type: 'string', pattern: '^[a-z]+$' }, more: { type: 'string' } },
          },
        }),
      );
      const edited = await client.update(widgets, { ...created, spec: { code: 'OLD', more: 'x' } });
      assert.deepEqual(edited.spec, { code: 'OLD', more: 'x' });
      assert.equal((await refusalOf(client.update(widgets, { ...edited, spec: { code: 'NEW' } }))).code, 422);
    },
  );
});
