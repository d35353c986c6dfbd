import { isObject, type JsonObject } from './json.ts';
import { memberSchema, type Schema } from './structural-schema.ts';

/**
 * Fills in defaults. A null where the schema is not nullable counts as absent: it takes the default, and without one
 * the member is dropped (in lists it stays, for validation to refuse).
 */
export function applyDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const items = schema.items;
    return items === undefined ? value : value.map((item) => applyDefaults(orDefault(item, items), items));
  }
  return isObject(value) ? defaultMembers(value, schema) : value;
}

/** The same for a whole object, whose `metadata` has no schema of its own. */
export const defaultObject = (object: JsonObject, schema: Schema): JsonObject =>
  defaultMembers(object, schema);

function defaultMembers(object: JsonObject, schema: Schema): JsonObject {
  const filled: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const member = memberSchema(schema, key);
    const present = member === undefined ? value : orDefault(value, member);
    const isDropped = present === null && member !== undefined && !mayBeNull(member);
    if (!isDropped) filled[key] = member === undefined ? present : applyDefaults(present, member);
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || Object.hasOwn(filled, key)) continue;
    filled[key] = applyDefaults(structuredClone(property.default), property);
  }
  return filled;
}

const orDefault = (value: unknown, schema: Schema): unknown =>
  value === null && schema.nullable !== true && schema.default !== undefined
    ? structuredClone(schema.default)
    : value;

/** Without a type nothing is known of the value, so a null in it is somebody's data. */
const mayBeNull = (schema: Schema): boolean =>
  schema.nullable === true ||
  (schema.type === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true);
