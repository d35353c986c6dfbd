import type { Kind } from './kinds.ts';
import { structuralSchema, type Rule, type StructuralSchema } from './structural-schema.ts';

export interface PlacedRule {
  /** Where it stands, e.g. `spec.tls`; `metadata` for rules on the whole object. */
  readonly path: string;
  readonly rule: Rule;
  /** A transition rule compares with the old object and is looked at on updates only. */
  readonly isTransition: boolean;
}

/** Every CEL rule of a kind, outermost first. */
export const apiRules = (kind: Kind): PlacedRule[] => [
  ...placed(kind.rootRules, 'metadata'),
  ...rulesBelow(structuralSchema(kind.spec, 'spec'), 'spec'),
  ...rulesBelow(structuralSchema(kind.status, 'status'), 'status'),
];

const placed = (rules: readonly Rule[], path: string): PlacedRule[] =>
  rules.map((rule) => ({ path, rule, isTransition: /\boldSelf\b/.test(rule.rule) }));

const rulesBelow = (node: StructuralSchema, path: string): PlacedRule[] => [
  ...placed(node['x-kubernetes-validations'] ?? [], path),
  ...Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    rulesBelow(property, `${path}.${name}`),
  ),
  ...(node.items === undefined ? [] : rulesBelow(node.items, `${path}[]`)),
  ...(node.additionalProperties === undefined ? [] : rulesBelow(node.additionalProperties, `${path}.*`)),
];
