import type { Condition } from '../../src/api/conditions.ts';
import type { TenantConditionType, TenantPhase, TenantStatus } from '../../src/api/tenant.ts';
import { decideClimb, decideDescent, type Decision, type Recorded } from '../../src/domain/decide.ts';
import type { DescentFacts, TenantFacts } from '../../src/domain/facts.ts';
import type { Reason } from '../../src/domain/reasons.ts';
import { tenantStatus } from '../../src/domain/status.ts';
import type { DescentStep, TenantStep } from '../../src/domain/steps.ts';
import type { Note } from '../../src/domain/verdict.ts';
import { recordStatus } from '../status-record.ts';

export const earlier = '2026-01-01T00:00:00Z';
export const later = '2026-01-01T00:05:00Z';

export const recordedAt = (
  phase: TenantPhase | undefined,
  conditions: readonly Condition[] = [],
): Recorded => ({
  phase,
  conditions,
});

/** The decision once the derived phase is the recorded one: only then a step may show. */
export const decided = (facts: TenantFacts, trouble?: Note): Decision<TenantStep> =>
  decideClimb(facts, recordedAt(decideClimb(facts, recordedAt(undefined)).phase), trouble);

export const decidedDown = (facts: DescentFacts, trouble?: Note): Decision<DescentStep> =>
  decideDescent(facts, recordedAt(decideDescent(facts, recordedAt(undefined)).phase), trouble);

/** "step RoleMissing", "wait Conflict", "unknown ServerError"; "top" when everything holds. */
export const answerOf = ({ first }: Decision<unknown>): string => {
  if (first === null) return 'top';
  return first.kind === 'holds' ? 'holds' : `${first.kind} ${first.reason}`;
};

export type Answer = 'top' | `${'step' | 'wait' | 'unknown'} ${Reason}`;

/** The whole status of these facts, decided and told at one time. */
export function statusOf(facts: TenantFacts, recorded: TenantStatus = {}, now = earlier): TenantStatus {
  const decision = decideClimb(facts, recordedAt(recorded.phase, recorded.conditions));
  return recordStatus('PostgreSQLTenant', tenantStatus(facts, decision, recorded, now));
}

export function statusDownOf(facts: DescentFacts, recorded: TenantStatus = {}, now = earlier): TenantStatus {
  const decision = decideDescent(facts, recordedAt(recorded.phase, recorded.conditions));
  return recordStatus('PostgreSQLTenant', tenantStatus(facts, decision, recorded, now));
}

export function conditionOf(status: TenantStatus, type: TenantConditionType): Condition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

/** "True Reached" */
export function saidOf(status: TenantStatus, type: TenantConditionType): string | undefined {
  const condition = conditionOf(status, type);
  return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
}
