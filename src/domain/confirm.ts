import { createHash } from 'node:crypto';

import { confirmAnnotation } from '../api/metadata.ts';
import type { Reason } from './reasons.ts';
import { step, wait, type Verdict } from './verdict.ts';

/**
 * The token by which a person accepts one loss: a short hash of the reason and of what was lost. It changes with the
 * loss, so it is spent by its use and cannot be set in advance.
 */
export const confirmToken = (reason: Reason, lost: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([reason, ...lost]))
    .digest('hex')
    .slice(0, 10);

interface Loss<Step> {
  readonly reason: Reason;
  /** What happened, without the way out. */
  readonly message: string;
  readonly lost: readonly string[];
  /** What confirming does, as a clause: "to create a new, empty database". */
  readonly purpose: string;
  readonly step: Step;
}

/** Waits for the human's word, and takes the step once the annotation carries the token. */
export function afterConfirmation<Step>(given: string | undefined, loss: Loss<Step>): Verdict<Step> {
  const token = confirmToken(loss.reason, loss.lost);
  if (given === token) return step(loss.reason, `${loss.message}; confirmed`, loss.step);
  return wait(
    loss.reason,
    `${loss.message}; ${loss.purpose}, annotate this object with ${confirmAnnotation}=${token}`,
  );
}
