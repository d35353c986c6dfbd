import { code } from './markdown.ts';
import type { Rule, StructuralSchema } from './structural-schema.ts';

/** What may become of a field after the object was created. */
type Change = 'may change' | 'immutable' | 'append only';

export interface FieldRow {
  /** Below spec or status, e.g. `extensions[].name`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: string;
  readonly bounds: string;
  readonly change: Change;
  readonly description: string;
}

/** One row for each property below a node, parents before children, in the order of the schema. */
export const fieldRows = (schema: StructuralSchema): FieldRow[] => rowsBelow(schema, '', 'may change');

function rowsBelow(node: StructuralSchema, path: string, inherited: Change): FieldRow[] {
  const inner = node.items ?? node;
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const change = inherited === 'may change' ? changeOf(name, property, inner) : inherited;
    const row: FieldRow = {
      path: at,
      type: typeOf(property),
      isRequired: inner.required?.includes(name) === true,
      default: property.default === undefined ? '' : code(JSON.stringify(property.default)),
      bounds: boundsOf(property),
      change,
      description: property.description ?? '',
    };
    // What is in a list that may only grow stays as it is.
    const below = change === 'append only' ? 'immutable' : change;
    return [row, ...rowsBelow(property, property.type === 'array' ? `${at}[]` : at, below)];
  });
}

/** By the transition rules of the field itself, and by those of its parent that speak of it. */
function changeOf(name: string, property: StructuralSchema, parent: StructuralSchema): Change {
  const own = rulesOf(property).filter(({ rule }) => rule.includes('oldSelf'));
  const ofParent = rulesOf(parent).filter(({ rule }) => new RegExp(`oldSelf\\.${name}\\b`).test(rule));
  const [deciding] = [...own, ...ofParent];
  if (deciding === undefined) return 'may change';
  if (deciding.message.includes('is immutable')) return 'immutable';
  if (deciding.message.includes('only be appended to')) return 'append only';
  throw new Error(`cannot tell from "${deciding.message}" how ${name} may change`);
}

const rulesOf = (node: StructuralSchema): readonly Rule[] => node['x-kubernetes-validations'] ?? [];

function typeOf(node: StructuralSchema): string {
  if (node.items !== undefined) return `list of ${typeOf(node.items)}`;
  if (node.additionalProperties !== undefined) return `map of ${typeOf(node.additionalProperties)}`;
  return node.format === undefined ? node.type : `${node.type} (${node.format})`;
}

function boundsOf(node: StructuralSchema): string {
  const { items, additionalProperties } = node;
  const own = [
    ...(node.enum === undefined ? [] : [`one of ${node.enum.map(code).join(', ')}`]),
    ...range(node.minLength, node.maxLength, 'characters'),
    ...numberRange(node),
    ...range(node.minItems, node.maxItems, 'items'),
    ...range(node.minProperties, node.maxProperties, 'entries'),
    ...(node.pattern === undefined ? [] : [code(node.pattern)]),
    ...(node['x-kubernetes-list-type'] === 'set' ? ['no value twice'] : []),
    ...(node['x-kubernetes-list-map-keys'] ?? []).map((key) => `no ${code(key)} twice`),
  ];
  const within = items ?? additionalProperties;
  const inner = within === undefined || within.type === 'object' ? '' : boundsOf(within);
  return [...own, ...(inner === '' ? [] : [`each: ${inner}`])].join('; ');
}

function numberRange(node: StructuralSchema): readonly string[] {
  const { minimum, maximum } = node;
  if (node.exclusiveMinimum !== true && node.exclusiveMaximum !== true) return range(minimum, maximum, '');
  return [
    ...(minimum === undefined ? [] : [`${node.exclusiveMinimum === true ? 'above' : 'at least'} ${minimum}`]),
    ...(maximum === undefined ? [] : [`${node.exclusiveMaximum === true ? 'below' : 'at most'} ${maximum}`]),
  ];
}

function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${suffix}`];
  if (most !== undefined) return [`at most ${most}${suffix}`];
  return least === undefined ? [] : [`at least ${least}${suffix}`];
}
