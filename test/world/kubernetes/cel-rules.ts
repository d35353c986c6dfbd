import { Optional, type ParseResult } from '@marcbachmann/cel-js';

import { kubernetesFunctions } from './cel-environment.ts';
import { celValue, withObjectMeta } from './cel-values.ts';
import { duplicate, forbidden, invalid, required, type FieldError } from './field-error.ts';
import { isObject, sameJson } from './json.ts';
import { oldItem } from './list-items.ts';
import { childPath, memberSchema, type Schema, type Rule } from './structural-schema.ts';

const environment = kubernetesFunctions
  .clone()
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn');
const programs = new Map<string, ParseResult>();

/** Faults of a whole object against every rule in its schema. `old` is undefined on create. */
export const objectRuleFaults = (object: unknown, old: unknown, schema: Schema): FieldError[] =>
  ruleFaults(object, old, schema, '');

/** Transition rules (those with `oldSelf`) hold only where the old value is known to be the same thing. */
export const isTransitionRule = (rule: Rule): boolean => /\boldSelf\b/.test(rule.rule);

function ruleFaults(value: unknown, old: unknown, schema: Schema, path: string): FieldError[] {
  if (value === null || !hasRules(schema)) return [];
  const rules = schema['x-kubernetes-validations'] ?? [];
  const faults = rules.length === 0 ? [] : nodeFaults(rules, value, old, schema, path);
  if (Array.isArray(value)) {
    const items = schema.items ?? {};
    value.forEach((item, index) =>
      faults.push(...ruleFaults(item, oldItem(item, old, schema), items, `${path}[${index}]`)),
    );
  }
  if (!isObject(value)) return faults;
  const before = isObject(old) ? old : {};
  for (const [key, member] of Object.entries(value)) {
    const memberOf = memberSchema(schema, key);
    if (memberOf !== undefined)
      faults.push(...ruleFaults(member, before[key], memberOf, childPath(path, key)));
  }
  return faults;
}

function nodeFaults(
  rules: readonly Rule[],
  value: unknown,
  old: unknown,
  schema: Schema,
  path: string,
): FieldError[] {
  const visible = path === '' ? withObjectMeta(schema) : schema;
  const self = celValue(value, visible);
  const hasOld = old !== undefined && old !== null;
  const oldSelf = hasOld ? celValue(old, visible) : undefined;
  return rules.flatMap((rule) => {
    const isTransition = isTransitionRule(rule);
    if (isTransition && !hasOld && rule.optionalOldSelf !== true) return [];
    if (!isTransition && hasOld && sameJson(value, old)) return [];
    const optional = hasOld ? Optional.of(oldSelf) : Optional.none();
    const variables = { self, oldSelf: rule.optionalOldSelf === true ? optional : oldSelf };
    return evaluate(rule, variables, value, path);
  });
}

type Variables = Record<string, unknown>;

function evaluate(rule: Rule, variables: Variables, value: unknown, path: string): FieldError[] {
  try {
    if (program(rule.rule)(variables) === true) return [];
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return [invalid(path, value, `${why} evaluating rule: ${rule.message ?? rule.rule}`)];
  }
  const at = rule.fieldPath === undefined ? path : `${path}${rule.fieldPath}`.replace(/^\./, '');
  return [faultForReason(rule.reason, at, value, messageOf(rule, variables))];
}

function messageOf(rule: Rule, variables: Variables): string {
  const fallback = rule.message ?? `failed rule: ${rule.rule}`;
  if (rule.messageExpression === undefined) return fallback;
  try {
    const text: unknown = program(rule.messageExpression)(variables);
    const isUsable = typeof text === 'string' && text.trim() !== '' && !text.includes('\n');
    return isUsable ? text.trim() : fallback;
  } catch {
    // As in kube-apiserver: a message that cannot be made is no reason to let the object pass.
    return fallback;
  }
}

function faultForReason(reason: string | undefined, path: string, value: unknown, why: string): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(path, why);
  if (reason === 'FieldValueRequired') return required(path, why);
  return reason === 'FieldValueDuplicate' ? duplicate(path, value) : invalid(path, value, why);
}

function program(expression: string): ParseResult {
  const known = programs.get(expression) ?? environment.parse(expression);
  programs.set(expression, known);
  return known;
}

const subtreesWithRules = new WeakMap<Schema, boolean>();

/** Whether there is a rule anywhere in this schema. */
export function hasRules(schema: Schema): boolean {
  const known = subtreesWithRules.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, items, additionalProperties } = schema;
  const answer =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    Object.values(properties).some(hasRules) ||
    (items !== undefined && hasRules(items)) ||
    (isObject(additionalProperties) && hasRules(additionalProperties));
  subtreesWithRules.set(schema, answer);
  return answer;
}
