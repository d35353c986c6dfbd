import { isObject, type JsonObject } from './json.ts';
import { childPath, memberSchema, type Schema } from './structural-schema.ts';

/** Members of every object and of every embedded one, known without any schema. */
const typeMembers = ['apiVersion', 'kind', 'metadata'];

/** The object without the fields that its schema does not know; their paths are added to `unknown`. */
export const pruneObject = (object: JsonObject, schema: Schema, unknown: string[]): JsonObject =>
  pruneMembers(object, schema, '', unknown, true);

function prune(value: unknown, schema: Schema, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    return value.map((item, index) => prune(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  return pruneMembers(value, schema, path, unknown, schema['x-kubernetes-embedded-resource'] === true);
}

function pruneMembers(
  object: JsonObject,
  schema: Schema,
  path: string,
  unknown: string[],
  isResource: boolean,
): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(object)) {
    const member = memberSchema(schema, key);
    if (isResource && typeMembers.includes(key)) kept.push([key, value]);
    else if (member !== undefined) kept.push([key, prune(value, member, childPath(path, key), unknown)]);
    else if (schema['x-kubernetes-preserve-unknown-fields'] === true) kept.push([key, value]);
    else unknown.push(childPath(path, key));
  }
  return Object.fromEntries(kept);
}
