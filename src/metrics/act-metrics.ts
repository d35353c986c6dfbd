import { Counter, Histogram, type Registry } from 'prom-client';

import type { Act } from '../reconcile/context.ts';
import { callBuckets } from './call-metrics.ts';
import { outcomeLabel, stepLabel } from './labels.ts';

type Counted = Pick<Act, 'step' | 'outcome' | 'milliseconds'>;

/** Counts steps by what they are and how they ended, never by whom they were for. */
export function actMetrics(registry: Registry): (act: Counted) => void {
  const acts = new Counter({
    name: 'pgtenancy_acts_total',
    help: 'Steps taken in PostgreSQL or OpenBao, by step and outcome (ok, or the reason of the trouble).',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'pgtenancy_act_duration_seconds',
    help: 'Time that steps took, by step.',
    labelNames: ['step'],
    buckets: callBuckets,
    registers: [registry],
  });
  return ({ step, outcome, milliseconds }) => {
    const shown = stepLabel(step);
    acts.inc({ step: shown, outcome: outcomeLabel(outcome) });
    durations.observe({ step: shown }, milliseconds / 1000);
  };
}
