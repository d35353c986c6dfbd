import type { Logger } from 'pino';

import type { Metrics } from './http/metrics.ts';
import type { ActLog } from './reconcile/context.ts';

/** The last two are everyday life with several replicas: another one holds the lock, or has taken the step already. */
const expected: ReadonlySet<string> = new Set(['ok', 'Busy', 'StaleDecision']);

/** One line for each act, nothing at rest. */
export const actLog = (logger: Logger, metrics: Pick<Metrics, 'acted'>): ActLog => ({
  acted: (act) => {
    metrics.acted(act);
    logger[expected.has(act.outcome) ? 'info' : 'warn'](act, 'step taken');
  },
  letGo: (subject, message) => {
    logger.warn({ subject, detail: message }, 'let go unfinished');
  },
});
