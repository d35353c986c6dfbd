import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

import type { Act } from '../reconcile/context.ts';

export interface Metrics {
  readonly contentType: string;
  /** The text of `/metrics`. */
  render(): Promise<string>;
  requestDone(route: string, code: number, seconds: number): void;
  acted(act: Act): void;
}

/** Labels are bounded: routes, status codes, steps and outcomes come from closed lists, names of objects never appear. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'pgtenancy_hook_request_duration_seconds',
    help: 'Time to answer a request, by route and status code.',
    labelNames: ['route', 'code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const acts = new Counter({
    name: 'pgtenancy_acts_total',
    help: 'Steps taken in PostgreSQL, OpenBao or Kubernetes, by step and outcome (ok, or the reason of the trouble).',
    labelNames: ['step', 'outcome'],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    requestDone: (route, code, seconds) => requests.observe({ route, code: String(code) }, seconds),
    acted: ({ step, outcome }) => acts.inc({ step, outcome }),
  };
}
