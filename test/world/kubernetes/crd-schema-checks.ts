import { compileFault } from './cel-types.ts';
import { isTransitionRule } from './cel-rules.ts';
import { keywordFaults } from './crd-keywords.ts';
import { forbidden, invalid, required, unsupported, type FieldError } from './field-error.ts';
import { isObject } from './json.ts';
import type { Rule, Schema } from './structural-schema.ts';
import { validate } from './validate.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const reasons = ['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'];

/** Faults of a version's schema: it must be structural, and its rules must compile. */
export function schemaFaults(schema: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const faults = keywordFaults(schema, path);
  // With members of the wrong type the rest cannot even be read.
  return faults.length > 0 ? faults : nodeFaults(schema, path, { isRoot: true, isCorrelatable: true });
}

interface Place {
  readonly isRoot: boolean;
  /** Whether an old value can be matched with a new one here: not below lists of type atomic or set. */
  readonly isCorrelatable: boolean;
}

function nodeFaults(schema: Schema, path: string, place: Place): FieldError[] {
  return [
    ...typeFaults(schema, path, place),
    ...listFaults(schema, path),
    ...mapFaults(schema, path, place),
    ...defaultFaults(schema, path),
    ...patternFaults(schema, path),
    ...(schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
      ruleFaults(rule, schema, `${path}.x-kubernetes-validations[${index}]`, place),
    ),
    ...childFaults(schema, path, place),
  ];
}

function childFaults(schema: Schema, path: string, { isCorrelatable }: Place): FieldError[] {
  const { properties = {}, items, additionalProperties } = schema;
  const inside = { isRoot: false, isCorrelatable };
  const inList = {
    isRoot: false,
    isCorrelatable: isCorrelatable && schema['x-kubernetes-list-type'] === 'map',
  };
  return [
    ...Object.entries(properties).flatMap(([key, property]) =>
      nodeFaults(property, `${path}.properties[${key}]`, inside),
    ),
    ...(items === undefined ? [] : nodeFaults(items, `${path}.items`, inList)),
    ...(isObject(additionalProperties)
      ? nodeFaults(additionalProperties, `${path}.additionalProperties`, inside)
      : []),
  ];
}

function typeFaults(schema: Schema, path: string, { isRoot }: Place): FieldError[] {
  const { type } = schema;
  const mayLack =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isRoot && type !== 'object') return [invalid(`${path}.type`, type ?? '', 'must be object at the root')];
  if (type === undefined)
    return mayLack ? [] : [required(`${path}.type`, 'must not be empty for specified object fields')];
  return types.includes(type) ? [] : [unsupported(`${path}.type`, type, types)];
}

function listFaults(schema: Schema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const faults: FieldError[] = [];
  if (schema.type === 'array' && schema.items === undefined)
    faults.push(required(`${path}.items`, 'must be specified'));
  if (listType !== undefined && schema.type !== 'array')
    faults.push(
      invalid(`${path}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'),
    );
  if (listType === 'map' && keys.length === 0)
    faults.push(
      required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'),
    );
  const { required: needed = [], properties = {} } = schema.items ?? {};
  for (const key of keys)
    if (!needed.includes(key) && properties[key]?.default === undefined)
      faults.push(
        required(
          `${path}.items.properties[${key}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      );
  return faults;
}

function mapFaults(schema: Schema, path: string, { isRoot }: Place): FieldError[] {
  const { properties, additionalProperties } = schema;
  const faults: FieldError[] = [];
  if (additionalProperties === false)
    faults.push(forbidden(`${path}.additionalProperties`, 'cannot be set to false'));
  if (properties !== undefined && additionalProperties !== undefined)
    faults.push(forbidden(`${path}.additionalProperties`, 'must not be used together with properties'));
  if (isRoot && additionalProperties !== undefined)
    faults.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  const inMetadata = Object.keys((isRoot ? properties?.['metadata']?.properties : undefined) ?? {});
  if (inMetadata.some((key) => key !== 'name' && key !== 'generateName'))
    faults.push(
      forbidden(
        `${path}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  return faults;
}

function defaultFaults(schema: Schema, path: string): FieldError[] {
  if (schema.default === undefined) return [];
  return validate(schema.default, undefined, schema, '').map((fault) =>
    invalid(`${path}.default`, schema.default, fault.detail === '' ? fault.fault : fault.detail),
  );
}

/** kube-apiserver's expressions are RE2: no look-around, no back references. */
function patternFaults({ pattern }: Schema, path: string): FieldError[] {
  if (pattern === undefined) return [];
  const isRe2 = !/\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern) && compiles(pattern);
  return isRe2 ? [] : [invalid(`${path}.pattern`, pattern, 'must be a valid regular expression')];
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function ruleFaults(rule: Rule, schema: Schema, path: string, place: Place): FieldError[] {
  if (rule.rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (isTransitionRule(rule) && !place.isCorrelatable)
    return [
      invalid(
        `${path}.rule`,
        rule.rule,
        'oldSelf cannot be used on the uncorrelatable portion of the schema',
      ),
    ];
  const faults: FieldError[] = [];
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    faults.push(unsupported(`${path}.reason`, rule.reason, reasons));
  if (rule.message?.includes('\n') === true)
    faults.push(invalid(`${path}.message`, rule.message, 'message must not contain line breaks'));
  const fault = compileFault(rule, schema, place.isRoot);
  if (fault !== '') faults.push(invalid(`${path}.rule`, rule.rule, fault));
  return faults;
}
