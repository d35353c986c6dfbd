import { forbidden, wrongType, type FieldError } from './field-error.ts';
import { isObject } from './json.ts';

type Shape =
  | 'text'
  | 'number'
  | 'flag'
  | 'list'
  | 'any'
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'schema or flag'
  | 'rules';

/** Members of JSONSchemaProps that CRDs may use. Everything else is an unknown or a forbidden field. */
const keywords: Readonly<Record<string, Shape>> = {
  title: 'text',
  description: 'text',
  type: 'text',
  format: 'text',
  pattern: 'text',
  nullable: 'flag',
  default: 'any',
  example: 'any',
  externalDocs: 'any',
  enum: 'list',
  required: 'list',
  minLength: 'number',
  maxLength: 'number',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'flag',
  exclusiveMaximum: 'flag',
  multipleOf: 'number',
  minItems: 'number',
  maxItems: 'number',
  minProperties: 'number',
  maxProperties: 'number',
  items: 'schema',
  properties: 'schema map',
  additionalProperties: 'schema or flag',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  'x-kubernetes-preserve-unknown-fields': 'flag',
  'x-kubernetes-int-or-string': 'flag',
  'x-kubernetes-embedded-resource': 'flag',
  'x-kubernetes-list-type': 'text',
  'x-kubernetes-list-map-keys': 'list',
  'x-kubernetes-map-type': 'text',
  'x-kubernetes-validations': 'rules',
};

const shapes: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value),
  any: () => true,
  schema: isObject,
  schemas: (value) => Array.isArray(value) && value.every(isObject),
  'schema map': (value) => isObject(value) && Object.values(value).every(isObject),
  'schema or flag': (value) => typeof value === 'boolean' || isObject(value),
  rules: (value) =>
    Array.isArray(value) && value.every((rule) => isObject(rule) && typeof rule['rule'] === 'string'),
};

/**
 * Keywords that the API does not know (`$schema`, `const`, `propertyNames`) or whose value has another JSON type there
 * (a number in `exclusiveMinimum`): what schema generators for newer drafts write by mistake.
 */
export function keywordFaults(schema: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = `${path}.${keyword}`;
    const shape = keywords[keyword];
    if (shape === undefined) return [forbidden(at, 'unknown or unsupported field')];
    if (!shapes[shape](value)) return [wrongType(at, value, `must be a ${shape}`)];
    return nestedSchemas(value, shape, at).flatMap(([nested, nestedPath]) =>
      keywordFaults(nested, nestedPath),
    );
  });
}

type Nested = [Readonly<Record<string, unknown>>, string];

function nestedSchemas(value: unknown, shape: Shape, path: string): Nested[] {
  if (shape === 'schemas' && Array.isArray(value))
    return value.flatMap((item, index): Nested[] => (isObject(item) ? [[item, `${path}[${index}]`]] : []));
  if (!isObject(value)) return [];
  if (shape === 'schema' || shape === 'schema or flag') return [[value, path]];
  if (shape !== 'schema map') return [];
  return Object.entries(value).flatMap(([key, item]): Nested[] =>
    isObject(item) ? [[item, `${path}[${key}]`]] : [],
  );
}
