import type { Unknown } from './fact.ts';
import type { Reason } from './reasons.ts';

/** What one check says about the facts; `Step` is what would make it hold. */
export type Verdict<Step> =
  /** It holds; a note is something to tell that lowers nothing. */
  | { readonly kind: 'holds'; readonly note?: Note }
  /** It does not hold, but that lowers nothing: only its own condition says so. The step, if any, is taken beside. */
  | ({ readonly kind: 'told'; readonly step?: Step } & Note)
  /** It does not hold, and this step gets there. */
  | ({ readonly kind: 'step'; readonly step: Step } & Note)
  /** It does not hold, and somebody else must act first; `reasons[reason].stalled` says whether a person. */
  | ({ readonly kind: 'wait' } & Note)
  /** The last look failed. */
  | ({ readonly kind: 'unknown' } & Note);

export interface Note {
  readonly reason: Reason;
  readonly message: string;
}

export type Check<Facts, Step> = (facts: Facts) => Verdict<Step>;

export const holds = { kind: 'holds' } as const;

export const holdsBut = (reason: Reason, message: string) =>
  ({ kind: 'holds', note: { reason, message } }) as const;

export const told = (reason: Reason, message: string) => ({ kind: 'told', reason, message }) as const;

export const toldStep = <Step>(reason: Reason, message: string, next: Step) =>
  ({ kind: 'told', step: next, reason, message }) as const;

export const wait = (reason: Reason, message: string) => ({ kind: 'wait', reason, message }) as const;

export const pending = wait('Pending', 'an earlier phase comes first');

export const step = <Step>(reason: Reason, message: string, next: Step) =>
  ({ kind: 'step', step: next, reason, message }) as const;

export const cannotTell = ({ reason, message }: Unknown) => ({ kind: 'unknown', reason, message }) as const;
