import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { oneOf } from './labels.ts';

const routes = [
  '/tenants/sync',
  '/tenants/finalize',
  '/tenants/customize',
  '/instances/sync',
  '/instances/finalize',
];
const codes = ['200', '400', '401', '404', '405', '408', '413', '415', '417', '429', '431', '500', '503'];

/** Why a request was not answered with a status and children. */
const refusalCauses = [
  /** The body is not JSON, or not a request of this hook. */
  'malformed',
  'too_large',
  'unsupported_media_type',
  'not_found',
  'unauthorized',
  /** As many requests as one process works on are under way, or as many bytes of their bodies as it may hold. */
  'in_flight_limit',
  /** The work took longer than the hook's timeout allows. */
  'deadline',
  /** A lock or a slot is held elsewhere. */
  'busy',
  'stopping',
  'bug',
] as const;
export type RefusalCause = (typeof refusalCauses)[number];

/** What the HTTP edge tells. */
export interface HookMetrics {
  readonly requestDone: (route: string, code: number, seconds: number) => void;
  readonly refused: (cause: RefusalCause) => void;
  /** How many requests are worked on now. */
  readonly inFlight: (count: number) => void;
  /** `expiresAt`: milliseconds since the epoch. */
  readonly certificateShown: (expiresAt: number) => void;
}

export function hookMetrics(registry: Registry): HookMetrics {
  const registers = [registry];
  const requests = new Histogram({
    name: 'pgtenancy_hook_request_duration_seconds',
    help: 'Time to answer a request, by route and status code.',
    labelNames: ['route', 'code'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const refusals = new Counter({
    name: 'pgtenancy_hook_refusals_total',
    help: 'Requests that were not answered with status and children, by cause.',
    labelNames: ['cause'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'pgtenancy_hook_requests_in_flight',
    help: 'Hook requests that are worked on now.',
    registers,
  });
  const expiry = new Gauge({
    name: 'pgtenancy_hook_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of the hook expires, in seconds since the epoch; 0: there is none.',
    registers,
  });
  // A series that appears with its first call shows no increase by it: one call in half an hour would look like none.
  for (const route of routes) requests.zero({ route, code: '200' });
  for (const cause of refusalCauses) refusals.inc({ cause }, 0);
  const [routeLabel, codeLabel, causeLabel] = [oneOf(routes), oneOf(codes), oneOf(refusalCauses)];
  return {
    requestDone: (route, code, seconds) =>
      requests.observe({ route: routeLabel(route), code: codeLabel(String(code)) }, seconds),
    refused: (cause) => refusals.inc({ cause: causeLabel(cause) }),
    inFlight: (count) => inFlight.set(count),
    certificateShown: (expiresAt) => expiry.set(expiresAt / 1000),
  };
}
