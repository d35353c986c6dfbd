import type { Environment } from '@marcbachmann/cel-js';

import { kubernetesFunctions } from './cel-environment.ts';
import { celName, withObjectMeta } from './cel-values.ts';
import { isObject } from './json.ts';
import type { Rule, Schema } from './structural-schema.ts';

const stringTypes: Readonly<Record<string, string>> = {
  byte: 'bytes',
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};
const scalarTypes: Readonly<Record<string, string>> = { integer: 'int', number: 'double', boolean: 'bool' };

/** Type-checks the rules of one schema node, as kube-apiserver does when the CRD is created; '' when all is well. */
export function compileFault(rule: Rule, schema: Schema, isRoot: boolean): string {
  const environment = kubernetesFunctions.clone();
  const self = declare(environment, isRoot ? withObjectMeta(schema) : schema, 'Self');
  environment.registerVariable('self', self);
  environment.registerVariable('oldSelf', rule.optionalOldSelf === true ? `optional<${self}>` : self);
  return (
    typeFault(environment, rule.rule, 'bool') ||
    (rule.messageExpression === undefined ? '' : typeFault(environment, rule.messageExpression, 'string'))
  );
}

function typeFault(environment: Environment, expression: string, wanted: string): string {
  const { valid, type, error } = environment.check(expression);
  if (!valid) return `compilation failed: ${error?.summary ?? 'unknown error'}`;
  return type === wanted || type === 'dyn' ? '' : `cel expression must evaluate to a ${wanted}`;
}

/** Registers what the schema needs and returns the name of its CEL type. */
function declare(environment: Environment, schema: Schema, name: string): string {
  if (schema.nullable === true) return 'dyn';
  if (schema.type === 'string') return stringTypes[schema.format ?? ''] ?? 'string';
  if (schema.type === 'array') return `list<${declare(environment, schema.items ?? {}, `${name}_item`)}>`;
  if (schema.type !== 'object') return scalarTypes[schema.type ?? ''] ?? 'dyn';
  if (isObject(schema.additionalProperties))
    return `map<string, ${declare(environment, schema.additionalProperties, `${name}_value`)}>`;
  return declareObject(environment, schema, name);
}

function declareObject(environment: Environment, schema: Schema, name: string): string {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([key, property]) => [
      celName(key),
      declare(environment, property, `${name}_${celName(key)}`),
    ]),
  );
  environment.registerType(name, { fields });
  environment.registerOperator(`${name} == ${name}`, () => true);
  return name;
}
