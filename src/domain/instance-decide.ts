import type { InstanceConditionType, InstancePhase, InstanceStatus } from '../api/instance.ts';
import { afterTrouble } from './after-trouble.ts';
import { climb, judge, type Climb } from './climb.ts';
import { findingOf, mergeConditions, stalledFindings, type Finding } from './conditions.ts';
import type { InstanceFacts } from './facts.ts';
import {
  publicIsClosed,
  registryIsCurrent,
  rightsSuffice,
  sameServer,
  serverAnswers,
} from './instance-checks.ts';
import { instanceLadder } from './instance-ladder.ts';
import type { InstanceStep } from './steps.ts';
import { pending, type Note, type Verdict } from './verdict.ts';

export interface InstanceDecision {
  readonly phase: InstancePhase;
  readonly step: InstanceStep | null;
  readonly findings: readonly Finding<InstanceConditionType>[];
  readonly first: Verdict<InstanceStep> | null;
}

type State = Climb<InstancePhase, InstanceStep>;

/** `trouble`: a step that was just tried and failed speaks in place of the verdict that asked for it. */
export function decideInstance(
  facts: InstanceFacts,
  recorded: InstancePhase | undefined,
  trouble?: Note,
): InstanceDecision {
  const state = climb(instanceLadder, 'Planned', facts, recorded);
  const found = state.first?.verdict ?? null;
  const first = found === null || trouble === undefined ? found : afterTrouble(found, trouble);
  const own = (type: InstancePhase, verdict: Verdict<InstanceStep>): Verdict<InstanceStep> =>
    first !== null && first !== found && state.first?.phase === type ? first : verdict;
  const findings = [
    speaking(state, 'Connected', own('Connected', judge([serverAnswers, sameServer], facts))),
    speaking(state, 'RightsSufficient', rightsSuffice(facts)),
    speaking(state, 'RegistryReady', own('RegistryReady', registryVerdict(facts))),
    speaking(state, 'PublicClosed', publicIsClosed(facts)),
    speaking(state, 'Ready', first ?? { kind: 'holds' }, true),
  ];
  return {
    phase: state.phase,
    step: trouble === undefined ? state.step : null,
    first,
    findings: [...findings, ...stalledFindings(first)],
  };
}

/** On another server than before the question of a registry comes after the question of the server. */
function registryVerdict(facts: InstanceFacts): Verdict<InstanceStep> {
  const server = sameServer(facts);
  const changed = server.kind === 'wait' && server.reason === 'SystemIdentifierChanged';
  return changed ? pending : judge([registryIsCurrent], facts);
}

/** While the deciding fact is unknown only its own rung says so; everything else stays as recorded. */
function speaking(
  state: State,
  type: InstanceConditionType,
  verdict: Verdict<InstanceStep>,
  cumulative = false,
): Finding<InstanceConditionType> {
  const finding = findingOf(type, verdict);
  const deciding = state.first?.verdict.kind === 'unknown';
  const own = state.first?.phase === type && !cumulative;
  return (deciding && !own) || (verdict.kind === 'unknown' && !own)
    ? { ...finding, unlessRecorded: true }
    : finding;
}

/** The whole status; what cannot be read now stays as recorded. `now`: RFC 3339. */
export function instanceStatus(
  facts: InstanceFacts,
  decision: InstanceDecision,
  recorded: InstanceStatus,
  now: string,
): InstanceStatus {
  const server = facts.server.known && !('refused' in facts.server.value) ? facts.server.value : null;
  const settled = decision.phase !== 'Planned';
  return {
    phase: decision.phase,
    conditions: mergeConditions(recorded.conditions ?? [], decision.findings, facts.wish.generation, now),
    endpoint: facts.wish.endpoint,
    serverVersion: server?.version ?? recorded.serverVersion,
    // Only once it is accepted: what was recorded before is what a changed server is told by.
    systemIdentifier: (settled ? server?.systemIdentifier : undefined) ?? recorded.systemIdentifier,
  };
}
