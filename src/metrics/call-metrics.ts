import { Counter, Histogram, type Registry } from 'prom-client';

import type { Call } from './call.ts';
import { oneOf, outcomeLabel } from './labels.ts';

interface CallNames {
  /** Part of the names, e.g. `postgres_calls`. */
  readonly counter: string;
  /** Part of the name of the histogram, e.g. `postgres_call`. */
  readonly histogram: string;
  /** The label that tells calls apart. */
  readonly label: string;
  /** Every value of that label. */
  readonly operations: readonly string[];
  /** What is counted, for the help texts. */
  readonly help: string;
}

/** From an answer out of memory to the time limits of the slowest statements. */
export const callBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts the calls of one system by operation and outcome, and their times by operation only: both labels in a histogram
 * would multiply its buckets by every reason.
 */
export function callMetrics(registry: Registry, names: CallNames): (call: Call) => void {
  const { label, help } = names;
  const calls = new Counter({
    name: `pgtenancy_${names.counter}_total`,
    help: `${help}, by ${label} and outcome (ok, or the reason of the trouble).`,
    labelNames: [label, 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: `pgtenancy_${names.histogram}_duration_seconds`,
    help: `${help}: the time that they took, by ${label}.`,
    labelNames: [label],
    buckets: callBuckets,
    registers: [registry],
  });
  const operationLabel = oneOf(names.operations);
  return ({ operation, outcome, seconds }) => {
    const shown = operationLabel(operation);
    calls.inc({ [label]: shown, outcome: outcomeLabel(outcome) });
    durations.observe({ [label]: shown }, seconds);
  };
}
