import { parsePromql } from './promql.ts';

/** Seconds at which one replica counts something. */
export type Events = readonly number[];

/** How Prometheus reads the replicas, in seconds; `phase`: when it begins. */
export interface Scrapes {
  readonly every: number;
  readonly phase: number;
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of a duration such as `35m`; 0 of an empty one. */
export const secondsOf = (duration: string): number =>
  duration === '' ? 0 : Number(duration.slice(0, -1)) * (units[duration.slice(-1)] ?? Number.NaN);

/** The ranges of a query in seconds, in its order. Throws where it is no PromQL. */
export function windowsOf(expr: string): number[] {
  if (parsePromql(expr).faults.length > 0) throw new Error(`no PromQL: ${expr}`);
  return Array.from(expr.matchAll(/\[(\w+)\]/g), ([, range = '']) => secondsOf(range));
}

/** Whether `increase` over a window sees any growth of a counter that is there from the start, at some moment. */
function grows(events: Events, window: number, { every, phase }: Scrapes, at: number): boolean {
  const sampleBefore = (time: number): number => phase + Math.floor((time - phase) / every) * every;
  const last = sampleBefore(at);
  const first = Math.max(phase, sampleBefore(at - window) + every);
  return events.some((event) => event > first && event <= last);
}

/** The same summed over replicas. */
export const increases =
  (replicas: readonly Events[], window: number, scrapes: Scrapes) =>
  (at: number): boolean =>
    replicas.some((events) => grows(events, window, scrapes, at));

/** The seconds at which an alert fires: its query is looked at every 30 s and must have held for `after` seconds. */
export function firingTimes(holds: (at: number) => boolean, after: number, until: number): number[] {
  const firing: number[] = [];
  let since: number | undefined;
  for (let at = 0; at <= until; at += 30) {
    since = holds(at) ? (since ?? at) : undefined;
    if (since !== undefined && at - since >= after) firing.push(at);
  }
  return firing;
}
