import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { structuralSchema, type Part } from '../../src/generate/structural-schema.ts';

const text = z.string().max(10);
const said = { description: 'Said.' };
const field = (shape: z.ZodType): z.ZodType => z.object({ a: shape.meta(said) });

const refusals: readonly [string, z.ZodType, RegExp, Part?][] = [
  ['a union', field(z.union([text, z.int()])), /Unrecognized key: "anyOf"/],
  ['a nullable field', field(text.nullable()), /Unrecognized key: "nullable"/],
  ['a field of any type', field(z.unknown()), /a\.type|→ at properties\.a\.type/],
  ['an object that refuses other keys', z.strictObject({ a: text.meta(said) }), /at additionalProperties/],
  ['an object that keeps other keys', z.looseObject({ a: text.meta(said) }), /at additionalProperties\.type/],
  ['an intersection', field(z.intersection(text, text)), /Unrecognized key: "allOf"/],
  ['an enum of numbers', field(z.literal([1, 2])), /enum/],
  ['a number with a fraction', field(z.number()), /at properties\.a\.type/],
  ['an unknown format', field(z.email().max(10)), /at properties\.a\.format/],
  [
    'a misspelt keyword',
    z.object({ a: text.meta({ ...said, maxLenght: 3 }) }),
    /Unrecognized key: "maxLenght"/,
  ],
  [
    'a rule without a message',
    field(text.meta({ 'x-kubernetes-validations': [{ rule: 'true' }] })),
    /message/,
  ],
  ['a string without a bound', field(z.string()), /spec\.a: no maxLength/],
  ['a list without a bound', field(z.array(text)), /spec\.a: no maxItems/],
  ['a list of strings without a bound', field(z.array(z.string()).max(2)), /spec\.a\[\]: no maxLength/],
  ['a map without a bound', field(z.record(z.string(), text)), /spec\.a: no maxProperties/],
  [
    'a map of strings without a bound',
    z.object({ a: z.record(z.string(), z.string()).meta({ ...said, maxProperties: 2 }) }),
    /spec\.a\.\*: no maxLength/,
  ],
  ['a field without a description', z.object({ a: text }), /spec\.a: no description/],
  ['a default under status', field(text.default('x')), /status\.a: a default under status/, 'status'],
];

for (const [what, shape, message, part = 'spec'] of refusals)
  test(`${what} is refused`, () => {
    assert.throws(() => structuralSchema(shape, part), { message });
  });

test('what zod itself cannot express as a schema is refused', () => {
  assert.throws(() => structuralSchema(field(z.date()), 'spec'), /cannot be represented/);
});

test('exclusive bounds are booleans beside the bound, and bounds of every integer are left out', () => {
  const shape = z.object({
    above: z.int().gt(0).meta(said),
    below: z.int().min(0).lt(9).meta(said),
    any: z.int().meta(said),
  });
  assert.deepEqual(structuralSchema(shape, 'spec').properties, {
    above: { ...said, type: 'integer', minimum: 0, exclusiveMinimum: true },
    below: { ...said, type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true },
    any: { ...said, type: 'integer' },
  });
});

test('format, default, pattern and the keywords of Kubernetes are kept, and a default is not required', () => {
  const rules = [{ rule: "self != 'b'", message: 'not b' }];
  const shape = z.object({
    a: text.default('x').meta({ ...said, pattern: '^x', 'x-kubernetes-validations': rules }),
    port: z.int().meta({ ...said, format: 'int32' }),
    set: z
      .array(text)
      .max(3)
      .optional()
      .meta({ ...said, 'x-kubernetes-list-type': 'set' }),
  });
  assert.deepEqual(structuralSchema(shape, 'spec'), {
    type: 'object',
    required: ['port'],
    properties: {
      a: {
        ...said,
        type: 'string',
        default: 'x',
        pattern: '^x',
        maxLength: 10,
        'x-kubernetes-validations': rules,
      },
      port: { ...said, type: 'integer', format: 'int32' },
      set: {
        ...said,
        type: 'array',
        maxItems: 3,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', maxLength: 10 },
      },
    },
  });
});

test('a literal is an enum of one, and needs no length', () => {
  assert.deepEqual(structuralSchema(field(z.literal('one')), 'spec').properties, {
    a: { ...said, type: 'string', enum: ['one'] },
  });
});
