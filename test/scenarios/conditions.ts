import type { Condition } from '../../src/api/conditions.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';

export const conditionsOf = (object: KubeObject | undefined): readonly Condition[] =>
  (object?.status?.['conditions'] ?? []) as Condition[];

export const conditionOf = (object: KubeObject | undefined, type: string): Condition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

export const phaseOf = (object: KubeObject | undefined): string | undefined =>
  object?.status?.['phase'] as string | undefined;

/** The token that a condition's message asks for. @throws Error when it asks for none */
export function tokenIn({ message }: Condition): string {
  const token = /pgtenancy\.io\/confirm=([0-9a-f]+)/.exec(message)?.[1];
  if (token === undefined) throw new Error(`no token in: ${message}`);
  return token;
}
