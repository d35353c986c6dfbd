import { passingConditionTypes, type Condition } from '../api/conditions.ts';
import { tenantConditionTypes, type TenantConditionType, type TenantPhase } from '../api/tenant.ts';
import { afterTrouble } from './after-trouble.ts';
import { climb, type Climb } from './climb.ts';
import { findingOf, stalledFindings, type Finding } from './conditions.ts';
import { descend, withWayOut, type Descent } from './descent.ts';
import type { DescentFacts, TenantFacts } from './facts.ts';
import { tenantLadder } from './ladder.ts';
import { extensionsInstalled, lookHeldUp } from './login-checks.ts';
import { notKept } from './not-kept.ts';
import { mayLetGo, withLastResort } from './retention.ts';
import type { DescentStep, TenantStep } from './steps.ts';
import type { Note, Verdict } from './verdict.ts';

/** What status said when the decision was made. */
export interface Recorded {
  readonly phase: TenantPhase | undefined;
  readonly conditions: readonly Condition[];
}

export interface Decision<Step> {
  readonly phase: TenantPhase;
  readonly step: Step | null;
  readonly findings: readonly Finding<TenantConditionType>[];
  /** The verdict that everything hangs on; null at the top. */
  readonly first: Verdict<Step> | null;
  /** On the way down: nothing is left to do. */
  readonly finished: boolean;
}

/** `trouble`: a step that was just tried and failed speaks in place of the verdict that asked for it. */
export function decideClimb(facts: TenantFacts, recorded: Recorded, trouble?: Note): Decision<TenantStep> {
  const state = withTrouble(climb(tenantLadder, 'Planned', facts, recorded.phase), trouble);
  const extensions = extensionsInstalled(facts);
  const findings = [...rungFindings(state), extensionFinding(facts, state, extensions), readyFinding(state)];
  const first = state.first?.verdict ?? null;
  return {
    phase: state.phase,
    step: state.step,
    findings: [
      ...inOrder(findings),
      ...stalledFindings(first, extensions.kind === 'told' ? [extensions] : []),
    ],
    first,
    finished: false,
  };
}

type State = Climb<TenantPhase, TenantStep>;

function withTrouble(state: State, trouble: Note | undefined): State {
  if (trouble === undefined) return state;
  if (state.first === null) return { ...state, step: null };
  const first = { phase: state.first.phase, verdict: afterTrouble(state.first.verdict, trouble) };
  const rungs = state.rungs.map((rung) => (rung === state.first ? first : rung));
  return { ...state, step: null, first, rungs };
}

/** Each rung speaks for itself; what is unknown, and all others while the deciding fact is, stays as recorded. */
function rungFindings(state: State): Finding<TenantConditionType>[] {
  return state.rungs.flatMap(({ phase, verdict }) => {
    if (phase === 'Ready' || phase === 'Planned') return [];
    const finding = findingOf<TenantConditionType>(phase, verdict);
    const own = state.first?.phase === phase;
    const speaks = own || (state.first?.verdict.kind !== 'unknown' && verdict.kind !== 'unknown');
    return [speaks ? finding : { ...finding, unlessRecorded: true as const }];
  });
}

function extensionFinding(
  facts: TenantFacts,
  state: State,
  verdict: Verdict<TenantStep>,
): Finding<TenantConditionType> {
  const type = 'ExtensionsInstalled';
  const heldUp = verdict.kind === 'holds' ? lookHeldUp(facts) : null;
  if (heldUp !== null) return { type, status: 'Unknown', ...heldUp, unlessRecorded: true };
  const none = facts.wish.extensions.length === 0;
  const finding = findingOf<TenantConditionType>(type, verdict, {
    reason: none ? 'NoExtensions' : 'Reached',
    message: '',
  });
  const open = verdict.kind === 'unknown' || state.first?.verdict.kind === 'unknown';
  const putOff = !none && facts.session.known && facts.session.value.kind === 'deferred';
  return open || putOff ? { ...finding, unlessRecorded: true } : finding;
}

/** The only cumulative one: it copies the first verdict that does not hold, and stays as recorded while that is unknown. */
function readyFinding(state: State): Finding<TenantConditionType> {
  if (state.first === null) return findingOf<TenantConditionType>('Ready', { kind: 'holds' });
  const finding = findingOf<TenantConditionType>('Ready', state.first.verdict);
  return state.first.verdict.kind === 'unknown' ? { ...finding, unlessRecorded: true } : finding;
}

const passing: readonly TenantConditionType[] = passingConditionTypes;

/** Status lists conditions in climbing order, whatever order they were found in. */
const inOrder = (findings: readonly Finding<TenantConditionType>[]): Finding<TenantConditionType>[] =>
  order.flatMap((type) => findings.filter((finding) => finding.type === type));

const order = tenantConditionTypes.filter((type) => !passing.includes(type));

/**
 * Overdue, Retain lets go even though the mark could not be written: the row of the old UID conflicts all the same.
 * What is not kept is told before the object goes, and nobody could read it any more.
 */
export function decideDescent(
  facts: DescentFacts,
  recorded: Recorded,
  trouble?: Note,
): Decision<DescentStep> {
  const state = descend(facts, recorded.phase);
  const retain = facts.wish.deletionPolicy === 'Retain';
  const failed = trouble === undefined ? state.verdict : afterTrouble(state.verdict, trouble);
  const destroying = failed === state.verdict ? failed : withWayOut(facts, failed);
  const verdict = retain ? withLastResort(facts, failed) : destroying;
  const letGo = trouble !== undefined && retain && mayLetGo(facts);
  const note = noteOf(verdict, facts);
  const first = verdict.kind === 'holds' ? null : verdict;
  return {
    phase: state.phase,
    step: trouble === undefined ? state.step : null,
    findings: [...leavingFindings(state, note), ...stalledFindings(first)],
    first,
    finished: (state.finished && (!retain || isTold(recorded, note))) || letGo,
  };
}

/** What still exists, or was not looked at, stays as recorded; what is gone says so. */
function leavingFindings(state: Descent, { reason, message }: Note): readonly Finding<TenantConditionType>[] {
  return order.map((type) => {
    if (type === 'Ready') return { type, status: 'False', reason, message };
    return state.gone.some((phase) => phase === goesWith(type))
      ? { type, status: 'False', ...deleted }
      : { type, status: 'Unknown', reason, message, unlessRecorded: true };
  });
}

/** Extensions are gone with their database, and the Secret is with its ExternalSecret. */
function goesWith(type: TenantConditionType): string {
  if (type === 'ExtensionsInstalled') return 'DatabaseCreated';
  return type === 'CredentialProjected' ? 'ExternalSecretCreated' : type;
}

const deleted: Note = { reason: 'Deleted', message: '' };

function noteOf(verdict: Verdict<DescentStep>, facts: DescentFacts): Note {
  if (verdict.kind !== 'holds') return verdict;
  return facts.wish.deletionPolicy === 'Retain'
    ? { reason: 'Retained', message: notKept(facts) ?? '' }
    : deleted;
}

const isTold = ({ conditions }: Recorded, { message }: Note): boolean =>
  message === '' ||
  conditions.some((condition) => condition.type === 'Ready' && condition.message === message);
