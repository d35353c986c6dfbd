import assert from 'node:assert/strict';
import { test } from 'node:test';

import { refusalOf, withApi } from './test-api.ts';
import type { Rule, Schema } from './structural-schema.ts';
import { widget, widgetCrd, widgets } from './widget.ts';

const properties: Schema['properties'] = {
  size: { type: 'integer' },
  max: { type: 'integer' },
  name: { type: 'string' },
  namespace: { type: 'string' },
  'a-b': { type: 'string' },
  address: { type: 'string' },
  wait: { type: 'string', format: 'duration' },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  list: { type: 'array', items: { type: 'string' } },
};

const withRules = (...rules: Rule[]) =>
  widgetCrd({ spec: { type: 'object', properties, 'x-kubernetes-validations': rules } });

const cases: readonly [string, Record<string, unknown>, Record<string, unknown>][] = [
  ['self.size + 1 <= self.max', { size: 1, max: 2 }, { size: 2, max: 2 }],
  ['!has(self.name) || self.name.matches("^[a-z]+$")', {}, { name: 'A' }],
  ['!(self.name in ["postgres", "template0"])', { name: 'a' }, { name: 'postgres' }],
  ['!self.name.startsWith("pg_") && size(self.name) <= 3', { name: 'abc' }, { name: 'abcd' }],
  ['has(self.name) == has(self.size)', {}, { name: 'a' }],
  [
    'self.__namespace__ != "x" && self.a__dash__b == "y"',
    { namespace: 'a', 'a-b': 'y' },
    { namespace: 'x', 'a-b': 'y' },
  ],
  [
    'self.labels.all(key, key.startsWith("a") && self.labels[key] != "")',
    { labels: { ab: 'x' } },
    { labels: { b: 'x' } },
  ],
  ['"a" in self.labels', { labels: { a: 'b' } }, { labels: { b: 'a' } }],
  ['self.list.exists_one(item, item == "a")', { list: ['a', 'b'] }, { list: ['a', 'a'] }],
  ['self.list.map(item, item.lowerAscii()).isSorted()', { list: ['a', 'B'] }, { list: ['B', 'a'] }],
  ['isIP(self.address) && ip(self.address).family() == 6', { address: '::1' }, { address: '192.0.2.1' }],
  ['self.wait > duration("10s")', { wait: '1m' }, { wait: '9s' }],
  ['self.name.replace("a", "b") == "bcb"', { name: 'aca' }, { name: 'ac' }],
  ['sets.contains(["a", "b"], self.list)', { list: ['b'] }, { list: ['c'] }],
  ['self.?name.orValue("none") == "none"', {}, { name: 'x' }],
  ['(has(self.size) ? self.size : 5) > 3', {}, { size: 3 }],
];

test('rules let through what they allow and refuse the rest', async () => {
  for (const [rule, good, bad] of cases) {
    await withApi([withRules({ rule, message: 'no good' })], async (client) => {
      await client.create(widgets, widget('good', good)).catch((error: unknown) => {
        assert.fail(`${rule} refuses ${JSON.stringify(good)}: ${String(error)}`);
      });
      const refusal = await refusalOf(client.create(widgets, widget('bad', bad)));
      assert.equal(refusal.code, 422, rule);
      assert.match(refusal.message, /spec: Invalid value: \{.*\}: no good$/, rule);
    });
  }
});

test('the message, its expression, the reason and the field path shape the refusal', async () => {
  const rules: Rule[] = [
    { rule: 'self.size < 1' },
    { rule: 'self.size < 2', messageExpression: '"size is " + string(self.size)', fieldPath: '.size' },
    { rule: 'self.size < 3', message: 'closed', reason: 'FieldValueForbidden' },
    { rule: 'self.size < 4', message: 'plain', messageExpression: 'self.name' },
  ];
  await withApi([withRules(...rules)], async (client) => {
    const { message } = await refusalOf(client.create(widgets, widget('a', { size: 9 })));
    assert.equal(
      message,
      'Widget.example.org "a" is invalid: [spec: Invalid value: {"size":9}: failed rule: self.size < 1, ' +
        'spec.size: Invalid value: {"size":9}: size is 9, spec: Forbidden: closed, spec: Invalid value: {"size":9}: plain]',
    );
  });
});

test('a rule that cannot be evaluated refuses the object', async () => {
  await withApi([withRules({ rule: 'self.size > 1' })], async (client) => {
    const { message } = await refusalOf(client.create(widgets, widget('a')));
    assert.match(message, /spec: Invalid value: \{\}: No such key: size evaluating rule: self\.size > 1/);
  });
});

test('rules are not asked about an object whose shape is wrong', async () => {
  await withApi([withRules({ rule: 'self.size > 1', message: 'size is small' })], async (client) => {
    const { message } = await refusalOf(client.create(widgets, widget('a', { size: 'x' })));
    assert.match(
      message,
      /: \[spec\.size: .*, <nil>: Invalid value: "null": some validation rules were not checked/,
    );
    assert.equal(message.includes('size is small'), false);
  });
});

test('rules at the root see metadata.name and the whole object', async () => {
  const root = {
    'x-kubernetes-validations': [
      { rule: 'self.metadata.name.size() <= 3', message: 'name too long' },
      { rule: '!has(self.spec.name) || self.spec.name != self.metadata.name', message: 'same name' },
    ],
  };
  await withApi([widgetCrd({ spec: { type: 'object', properties }, root })], async (client) => {
    await client.create(widgets, widget('abc', { name: 'x' }));
    assert.match(
      (await refusalOf(client.create(widgets, widget('abcd')))).message,
      /<nil>: Invalid value: .*: name too long$/,
    );
    assert.match(
      (await refusalOf(client.create(widgets, widget('ab', { name: 'ab' })))).message,
      /same name$/,
    );
  });
});

test('transition rules hold on update only, for unset and set alike', async () => {
  const immutable: Rule = {
    rule: 'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)',
    message: 'name is immutable',
  };
  await withApi([withRules(immutable)], async (client) => {
    const set = await client.create(widgets, widget('set', { name: 'a' }));
    await client.create(widgets, widget('unset'));
    for (const spec of [{ name: 'b' }, {}])
      assert.match((await refusalOf(client.update(widgets, { ...set, spec }))).message, /name is immutable$/);
    const late = client.patch(widgets, 'unset', 'default', { spec: { name: 'a' } });
    assert.match((await refusalOf(late)).message, /name is immutable$/);
    const same = await client.patch(widgets, 'set', 'default', { spec: { size: 2 } });
    assert.deepEqual(same.spec, { name: 'a', size: 2 });
  });
});

test('with optionalOldSelf a transition rule is asked on create as well', async () => {
  const rule: Rule = {
    rule: 'oldSelf.hasValue() || self.size == 0',
    optionalOldSelf: true,
    message: 'begin with 0',
  };
  await withApi([withRules(rule)], async (client) => {
    assert.match(
      (await refusalOf(client.create(widgets, widget('a', { size: 1 })))).message,
      /begin with 0$/,
    );
    await client.create(widgets, widget('a', { size: 0 }));
    assert.deepEqual((await client.patch(widgets, 'a', 'default', { spec: { size: 1 } })).spec, { size: 1 });
  });
});

test('items of a list map are compared with the old item of the same key', async () => {
  const parts: Schema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    'x-kubernetes-validations': [
      { rule: 'oldSelf.all(old, self.exists(item, item.name == old.name))', message: 'append only' },
    ],
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, schema: { type: 'string' } },
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'immutable item' }],
    },
  };
  await withApi([widgetCrd({ spec: { type: 'object', properties: { parts } } })], async (client) => {
    await client.create(widgets, widget('a', { parts: [{ name: 'x' }, { name: 'y', schema: 's' }] }));
    const change = (items: unknown[]) => client.patch(widgets, 'a', 'default', { spec: { parts: items } });
    const moved = [{ name: 'y', schema: 's' }, { name: 'z' }, { name: 'x' }];
    assert.deepEqual((await change(moved)).spec, { parts: moved });
    assert.match(
      (await refusalOf(change(moved.slice(1)))).message,
      /spec\.parts: Invalid value: \[.*\]: append only$/,
    );
    const edited = await refusalOf(change([{ name: 'y', schema: 't' }, { name: 'z' }, { name: 'x' }]));
    assert.match(edited.message, /spec\.parts\[0\]: Invalid value: \{.*\}: immutable item$/);
  });
});

test('rules below free maps are asked for every value', async () => {
  const map: Schema = {
    type: 'object',
    additionalProperties: {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self != "bad"', message: 'bad' }],
    },
  };
  await withApi([widgetCrd({ spec: { type: 'object', properties: { map } } })], async (client) => {
    const { message } = await refusalOf(
      client.create(widgets, widget('a', { map: { x: 'good', y: 'bad' } })),
    );
    assert.match(message, /spec\.map\.y: Invalid value: "bad": bad$/);
  });
});

test('status writes obey rules too', async () => {
  const root = {
    'x-kubernetes-validations': [{ rule: '!has(self.status) || self.status.phase != "X"', message: 'not X' }],
  };
  await withApi([widgetCrd({ spec: { type: 'object' }, root })], async (client) => {
    const created = await client.create(widgets, widget('a'));
    const refusal = await refusalOf(client.updateStatus(widgets, { ...created, status: { phase: 'X' } }));
    assert.match(refusal.message, /not X$/);
  });
});
