import type { Condition } from '../api/conditions.ts';
import { reasons } from './reasons.ts';
import type { Note, Verdict } from './verdict.ts';

/** What a condition is to say; the times and generations are added when it is merged with what was recorded. */
export interface Finding<Type extends string> extends Note {
  readonly type: Type;
  readonly status: Condition['status'];
  /** Nothing was concluded: where something is recorded that stays as it is, to the byte. */
  readonly unlessRecorded?: true;
  /** Nothing was concluded: what is recorded stays as it is, and where nothing is nothing appears. */
  readonly onlyIfRecorded?: true;
}

/** A verdict as a condition. `held`: reason and message of a condition that is True and has nothing to add. */
export function findingOf<Type extends string>(
  type: Type,
  verdict: Verdict<unknown>,
  held: Note = { reason: 'Reached', message: '' },
): Finding<Type> {
  switch (verdict.kind) {
    case 'holds':
      return { type, status: 'True', ...(verdict.note ?? held) };
    case 'unknown':
      return { type, status: 'Unknown', reason: verdict.reason, message: verdict.message };
    case 'told':
    case 'wait':
    case 'step':
      return { type, status: 'False', reason: verdict.reason, message: verdict.message };
  }
}

/**
 * Present with status True as long as something will not mend itself (kstatus), absent otherwise. While the deciding
 * fact is unknown a recorded one stays: the trouble behind it was not seen to end. `aside`: told beside the first.
 */
export function stalledFindings(
  first: Verdict<unknown> | null,
  aside: readonly Note[] = [],
): readonly Finding<'Stalled'>[] {
  if (first?.kind === 'unknown') {
    const stalls = reasons[first.reason].stalled;
    return [stalls ? stalledBy(first) : { ...stalledBy(first), onlyIfRecorded: true }];
  }
  const notes = first === null || first.kind === 'holds' ? aside : [first, ...aside];
  const stalled = notes.find(({ reason }) => reasons[reason].stalled);
  return stalled === undefined ? [] : [stalledBy(stalled)];
}

/** Far below the bound in the CRD: a message that is refused would take the whole status with it. */
const longestMessage = 4096;

const stalledBy = ({ reason, message }: Note): Finding<'Stalled'> => ({
  type: 'Stalled',
  status: 'True',
  reason,
  message,
});

/**
 * Findings as conditions. `lastTransitionTime` moves with the status only, so the same world gives the same bytes.
 * `observedGeneration` is the generation of the last conclusion: True, or False for a reason that looking again will
 * not change. `now`: RFC 3339, whole seconds.
 */
export function mergeConditions(
  recorded: readonly Condition[],
  findings: readonly Finding<string>[],
  generation: number,
  now: string,
): Condition[] {
  const merge = (finding: Finding<string>): readonly Condition[] => {
    const before = recorded.find(({ type }) => type === finding.type);
    return merged(finding, before, generation, now);
  };
  const conditions = findings.flatMap(merge);
  const isStalled = ({ type }: Condition): boolean => type === 'Stalled';
  return [
    ...conditions.filter((condition) => !isStalled(condition)),
    ...reconcilingFindings(findings, conditions, generation).flatMap(merge),
    ...conditions.filter(isStalled),
  ];
}

function merged(
  finding: Finding<string>,
  before: Condition | undefined,
  generation: number,
  now: string,
): readonly Condition[] {
  if (finding.onlyIfRecorded === true) return before === undefined ? [] : [before];
  if (finding.unlessRecorded === true && before !== undefined) return [before];
  const observedGeneration = isConclusion(finding) ? generation : before?.observedGeneration;
  return [
    {
      type: finding.type,
      status: finding.status,
      reason: finding.reason,
      message: finding.message.slice(0, longestMessage).toWellFormed(),
      lastTransitionTime: before?.status === finding.status ? before.lastTransitionTime : now,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
    },
  ];
}

const isConclusion = ({ status, reason }: Finding<string>): boolean =>
  status === 'True' || (status === 'False' && reasons[reason].stalled);

/**
 * Present with status True while Ready stands although the newest generation is not concluded (kstatus): what it changes
 * cannot be looked at now, or an appended extension is on its way. `status.observedGeneration` is the newest by then, so a
 * change would be taken for made. Not beside what stalls now, which waiting does not help.
 */
function reconcilingFindings(
  findings: readonly Finding<string>[],
  conditions: readonly Condition[],
  generation: number,
): readonly Finding<'Reconciling'>[] {
  const stands = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const stalls = findings.some((finding) => finding.type === 'Stalled' && finding.onlyIfRecorded !== true);
  if (!stands || stalls) return [];
  const isOpen = ({ type, status }: Finding<string>): boolean =>
    status !== 'True' && conditionOf(type)?.observedGeneration !== generation;
  const conditionOf = (name: string) => conditions.find(({ type }) => type === name);
  const open = findings.filter(({ type }) => concluding.includes(type)).find(isOpen);
  if (open === undefined) return [];
  const { reason, message } = findings.find(isBlind) ?? open;
  return [{ type: 'Reconciling', status: 'True', reason, message }];
}

/** Together they say that all of the wish is done. */
const concluding: readonly string[] = ['ExtensionsInstalled', 'Ready'];

const isBlind = ({ type, status }: Finding<string>): boolean => type === 'Ready' && status === 'Unknown';
