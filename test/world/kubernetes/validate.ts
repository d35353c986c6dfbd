import { invalid, required, tooMany, wrongType, type FieldError } from './field-error.ts';
import { isObject, sameJson, type JsonObject } from './json.ts';
import { duplicateItems, oldItem } from './list-items.ts';
import { scalarFaults } from './scalar-checks.ts';
import { childPath, memberSchema, type Schema } from './structural-schema.ts';

/**
 * Faults of a value against its schema, without CEL. A part that is equal to what was stored before is not looked at
 * (`old`), so that an object from before a stricter schema can still be edited.
 */
export function validate(value: unknown, old: unknown, schema: Schema, path: string): FieldError[] {
  if (old !== undefined && sameJson(value, old)) return [];
  if (value === null && schema.nullable === true) return [];
  if (!hasType(value, schema)) return [typeFault(value, schema, path)];
  return [
    ...(Array.isArray(value) ? listFaults(value, old, schema, path) : []),
    ...(isObject(value) ? memberFaults(value, old, schema, path) : []),
    ...scalarFaults(value, schema, path),
    ...compositionFaults(value, schema, path),
  ];
}

function hasType(value: unknown, schema: Schema): boolean {
  if (schema['x-kubernetes-int-or-string'] === true)
    return Number.isInteger(value) || typeof value === 'string';
  if (schema.type === undefined) return true;
  return typeName(value) === schema.type || (schema.type === 'number' && typeof value === 'number');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function typeFault(value: unknown, schema: Schema, path: string): FieldError {
  const wanted = schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : (schema.type ?? '');
  const got = typeName(value);
  return wrongType(path, got, `${path} in body must be of type ${wanted}: "${got}"`);
}

function listFaults(list: readonly unknown[], old: unknown, schema: Schema, path: string): FieldError[] {
  const { items, minItems, maxItems } = schema;
  const faults = duplicateItems(list, schema, path);
  if (maxItems !== undefined && list.length > maxItems) faults.push(tooMany(path, list.length, maxItems));
  if (minItems !== undefined && list.length < minItems)
    faults.push(invalid(path, list, `${path} in body should have at least ${minItems} items`));
  if (items === undefined) return faults;
  return faults.concat(
    list.flatMap((item, index) => validate(item, oldItem(item, old, schema), items, `${path}[${index}]`)),
  );
}

function memberFaults(object: JsonObject, old: unknown, schema: Schema, path: string): FieldError[] {
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(object).length;
  const faults = (schema.required ?? [])
    .filter((key) => !Object.hasOwn(object, key))
    .map((key) => required(childPath(path, key)));
  if (maxProperties !== undefined && count > maxProperties) faults.push(tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties)
    faults.push(invalid(path, object, `${path} in body should have at least ${minProperties} properties`));
  const before = isObject(old) ? old : {};
  for (const [key, value] of Object.entries(object)) {
    const member = memberSchema(schema, key);
    if (member !== undefined) faults.push(...validate(value, before[key], member, childPath(path, key)));
  }
  return faults;
}

/** allOf, anyOf, oneOf, not: never ratcheted, as in kube-apiserver. */
function compositionFaults(value: unknown, schema: Schema, path: string): FieldError[] {
  const passes = (part: Schema): boolean => validate(value, undefined, part, path).length === 0;
  const faults = (schema.allOf ?? []).flatMap((part) => validate(value, undefined, part, path));
  const refuse = (why: string): void => void faults.push(invalid(path, '', `"${path}" must ${why}`));
  if (schema.anyOf !== undefined && !schema.anyOf.some(passes))
    refuse('validate at least one schema (anyOf)');
  const matching = schema.oneOf?.filter(passes).length;
  if (matching !== undefined && matching !== 1)
    refuse(
      `validate one and only one schema (oneOf). Found ${matching === 0 ? 'none valid' : `${matching} valid alternatives`}`,
    );
  if (schema.not !== undefined && passes(schema.not)) refuse('not validate the schema (not)');
  return faults;
}
