import type { PostgreSQLInstance } from '../api/instance.ts';
import type { KubernetesReader } from './ports.ts';

type Allowed = NonNullable<PostgreSQLInstance['spec']['allowedNamespaces']>;
type Selector = NonNullable<Allowed['selector']>;

/** Does the Instance serve this namespace? Labels are read only where a selector has to decide. */
export async function servesNamespace(
  kubernetes: KubernetesReader,
  { spec }: PostgreSQLInstance,
  namespace: string,
): Promise<boolean> {
  const allowed = spec.allowedNamespaces;
  if (allowed === undefined || allowed.names?.includes(namespace) === true) return true;
  if (allowed.selector === undefined) return false;
  return selects(allowed.selector, (await kubernetes.namespaceLabels(namespace)) ?? {});
}

/** Label selector semantics of Kubernetes: everything must hold; an empty selector selects all. */
export function selects(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return equal && (selector.matchExpressions ?? []).every((expression) => holdsFor(expression, labels));
}

type Expression = NonNullable<Selector['matchExpressions']>[number];

function holdsFor({ key, operator, values }: Expression, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values?.includes(value) === true;
    case 'NotIn':
      return value === undefined || values?.includes(value) !== true;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}
