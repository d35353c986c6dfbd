import { kubernetesFunctions } from './cel-environment.ts';
import { isObject, type JsonObject } from './json.ts';
import type { Schema } from './structural-schema.ts';

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name under which a rule sees a field: `namespace` is `__namespace__`, `a-b` is `a__dash__b`. */
export function celName(property: string): string {
  if (reserved.has(property)) return `__${property}__`;
  return property.replaceAll(/__|[.\-/]/g, (found) => escapes[found] ?? found);
}

/** At the root a rule sees these beside the schema's own properties; of `metadata` no more than the name. */
export function withObjectMeta(schema: Schema): Schema {
  const text = { type: 'string' };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: text,
      kind: text,
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
  };
}

const toDuration = kubernetesFunctions.clone().registerVariable('text', 'string').parse('duration(text)');

/**
 * A JSON value as CEL sees it under this schema. Integers become BigInt: the CEL library takes numbers for doubles, and
 * `double + int` is an error. Free maps become `Map`, so that their keys are not mistaken for fields.
 */
export function celValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema.items ?? {}));
  if (isObject(value)) return celObject(value, schema);
  if (typeof value === 'number' && schema.type !== 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value !== 'string') return value;
  if (schema.format === 'date-time' || schema.format === 'date') return new Date(value);
  if (schema.format === 'duration') return toDuration({ text: value });
  return schema.format === 'byte' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
}

function celObject(object: JsonObject, schema: Schema): unknown {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).flatMap(([key, property]) =>
        Object.hasOwn(object, key) ? [[celName(key), celValue(object[key], property)]] : [],
      ),
    );
  const values = isObject(additionalProperties) ? additionalProperties : {};
  return new Map(Object.entries(object).map(([key, value]) => [key, celValue(value, values)]));
}
