import { createHash } from 'node:crypto';

import type { Condition } from '../api/conditions.ts';
import { reasons } from '../domain/reasons.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { OperatorSettings } from './context.ts';
import type { Taken } from './take-step.ts';

/** Seconds: the next step can be taken. */
const atOnce = 0.1;
/**
 * Seconds: somebody else was quicker, or the decision too old. Most often that is over by now; what refuses each step
 * as too old, such as a clock that was set back, must not be asked ten times a second.
 */
const again = 1.5;
/** Seconds: something is about to change that brings no call by itself, such as Metacontroller's cache. */
const soon = 0.5;

interface Moment {
  readonly uid: string;
  /** The answer changes `status.phase`: writing it brings the next call, and a timer could only arrive early. */
  readonly phaseChanged: boolean;
  readonly taken: Taken;
  readonly first: Verdict<unknown> | null;
  readonly ready: Condition | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Seconds until the next look, or undefined where something else is sure to bring it. The times are the same for the
 * same object (its UID is the jitter), so that an object at rest gets the same answer each time; while waiting they
 * grow with the age of the condition.
 */
export function resyncAfter({ resyncSeconds }: OperatorSettings, moment: Moment): number | undefined {
  const { phaseChanged, taken, first } = moment;
  if (phaseChanged) return undefined;
  if (taken.kind === 'done') return atOnce;
  if (taken.kind === 'overtaken') return again;
  if (taken.kind === 'stale') return soon;
  if (first === null || first.kind === 'holds') return spread(moment.uid, resyncSeconds);
  if (first.kind === 'step' && taken.kind !== 'answered') return soon;
  if (first.reason === 'DatabaseBusy') return soon;
  return spread(moment.uid, growing(moment, longestWait(first, resyncSeconds)));
}

const longestWait = (verdict: Exclude<Verdict<unknown>, { kind: 'holds' }>, resyncSeconds: number): number =>
  reasons[verdict.reason].stalled ? Math.min(60, resyncSeconds) : Math.min(30, resyncSeconds);

/** Half of the time that it has been so already, from one second on. */
function growing({ ready, now }: Moment, longest: number): number {
  const since = ready === undefined ? now : Date.parse(ready.lastTransitionTime);
  const age = Math.max(0, now - since) / 1000;
  return Math.min(longest, Math.max(1, Math.round(age / 2)));
}

/** From 1 to 1.5 times the seconds, by the UID; milliseconds are enough. */
function spread(uid: string, seconds: number): number {
  const fraction = createHash('sha256').update(uid).digest().readUInt16BE() / 0x1_0000;
  return Math.round(seconds * (1 + fraction / 2) * 1000) / 1000;
}
