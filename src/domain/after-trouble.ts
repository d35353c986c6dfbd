import { reasons } from './reasons.ts';
import { wait, type Note, type Verdict } from './verdict.ts';

/**
 * The verdict once its step was tried and failed. What is unknown, waits or holds by now speaks for itself. A loss that
 * a person accepted stays told under its own reason: the word belongs to the loss that status tells, and would be asked
 * for anew after each failure.
 */
export function afterTrouble<Step>(verdict: Verdict<Step>, trouble: Note): Verdict<Step> {
  if (verdict.kind !== 'step') return verdict;
  const accepted = reasons[verdict.reason].stalled;
  return accepted
    ? wait(verdict.reason, `${verdict.message}, but ${trouble.message}`)
    : { kind: 'wait', ...trouble };
}
