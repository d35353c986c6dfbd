import type { Logger } from 'pino';

import type { Metrics } from '../metrics/metrics.ts';
import type { ActLog } from '../reconcile/context.ts';

/** The last two are everyday life with several replicas: another one holds the lock, or has taken the step already. */
const expected: ReadonlySet<string> = new Set(['ok', 'Busy', 'StaleDecision']);

/** The log of one request: one line for each act, nothing at rest. */
export function actLog(logger: Logger, metrics: Pick<Metrics, 'acted'>, requestId: string): ActLog {
  return {
    acted: (act) => {
      metrics.acted(act);
      logger[expected.has(act.outcome) ? 'info' : 'warn']({ ...act, requestId }, 'step taken');
    },
    letGo: (subject, message) => {
      logger.warn({ ...subject, detail: message, requestId }, 'let go unfinished');
    },
  };
}
