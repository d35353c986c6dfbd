import { invalid, tooLong, unsupported, type FieldError } from './field-error.ts';
import { hasFormat } from './formats.ts';
import { sameJson } from './json.ts';
import type { Schema } from './structural-schema.ts';

/** Faults of a string or number against its schema's bounds; `path` as it is shown to the user. */
export function scalarFaults(value: unknown, schema: Schema, path: string): FieldError[] {
  const faults =
    typeof value === 'string' ? stringFaults(value, schema, path) : numberFaults(value, schema, path);
  const { format } = schema;
  if (format !== undefined && !hasFormat(value, format))
    faults.push(invalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
  if (schema.enum !== undefined && !schema.enum.some((allowed) => sameJson(allowed, value)))
    faults.push(unsupported(path, value, schema.enum));
  return faults;
}

function stringFaults(value: string, schema: Schema, path: string): FieldError[] {
  const faults: FieldError[] = [];
  const length = Array.from(value).length;
  if (schema.maxLength !== undefined && length > schema.maxLength)
    faults.push(tooLong(path, schema.maxLength));
  if (schema.minLength !== undefined && length < schema.minLength)
    faults.push(invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`));
  if (schema.pattern !== undefined && !pattern(schema.pattern).test(value))
    faults.push(invalid(path, value, `${path} in body should match '${schema.pattern}'`));
  return faults;
}

function numberFaults(value: unknown, schema: Schema, path: string): FieldError[] {
  if (typeof value !== 'number') return [];
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  const faults: string[] = [];
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    faults.push(`should be greater than${exclusiveMinimum ? '' : ' or equal to'} ${minimum}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    faults.push(`should be less than${exclusiveMaximum ? '' : ' or equal to'} ${maximum}`);
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    faults.push(`should be a multiple of ${multipleOf}`);
  return faults.map((fault) => invalid(path, value, `${path} in body ${fault}`));
}

const compiled = new Map<string, RegExp>();

function pattern(source: string): RegExp {
  const known = compiled.get(source) ?? new RegExp(source, 'u');
  compiled.set(source, known);
  return known;
}
