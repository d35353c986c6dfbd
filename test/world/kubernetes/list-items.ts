import { duplicate, type FieldError } from './field-error.ts';
import { isObject, sameJson, type JsonObject } from './json.ts';
import type { Schema } from './structural-schema.ts';

/** Finds the old item that an item of the new list continues; only lists of type map have such a thing. */
export function oldItem(item: unknown, old: unknown, schema: Schema): unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const identity = keysOf(item, schema);
  return old.find((candidate) => sameJson(keysOf(candidate, schema), identity));
}

/** Two items of a set that are equal, two items of a map with the same keys. */
export function duplicateItems(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic';
  if (listType === 'atomic') return [];
  const identities = list.map((item) => (listType === 'map' ? keysOf(item, schema) : item));
  return identities.flatMap((identity, index) =>
    identities.slice(0, index).some((earlier) => sameJson(earlier, identity))
      ? [duplicate(`${path}[${index}]`, identity)]
      : [],
  );
}

function keysOf(item: unknown, schema: Schema): JsonObject {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return isObject(item)
    ? Object.fromEntries(keys.flatMap((key) => (key in item ? [[key, item[key]]] : [])))
    : {};
}
