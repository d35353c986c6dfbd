import { RetryPlan } from '../back-pressure/retry-plan.ts';
import { Overload } from './overload.ts';

/** Metacontroller has a few workers for each kind, and each waits for its answer. */
const maxInFlight = 64;

/** The rest stays for others, whatever happens to one Instance. */
const maxForOneInstance = 48;

/** What a request takes on average, for all places together: a second has room for so many in a calm world. */
const paceMs = 20;

/** `instance`: the name of the Instance that the work is for, as far as the request tells it. */
type InFlight = <T>(work: () => Promise<T>, instance?: string) => Promise<T>;

/**
 * Gives a function that runs work only while fewer than 64 others run, and fewer than 48 for the same Instance. Only
 * what has its whole body takes a place, so clients that send slowly cannot hold them all; and one that hangs up does
 * not free its place while its work goes on. The function throws Trouble `Busy` when no place is free. `onChange` hears
 * how many run; `now`: milliseconds that only grow.
 */
export function limitInFlight(
  onChange: (count: number) => void = () => undefined,
  now: () => number = () => performance.now(),
): InFlight {
  const plan = new RetryPlan(now);
  const running = new Map<string, number>();
  let inFlight = 0;
  const change = (instance: string, by: 1 | -1) => {
    const count = (running.get(instance) ?? 0) + by;
    if (count === 0) running.delete(instance);
    else running.set(instance, count);
    onChange((inFlight += by));
  };
  return async (work, instance = '') => {
    const own = instance === '' ? 0 : (running.get(instance) ?? 0);
    if (inFlight >= maxInFlight || own >= maxForOneInstance)
      throw new Overload('in_flight_limit', 'too many requests are under way', plan.next(0, paceMs));
    change(instance, 1);
    try {
      return await work();
    } finally {
      change(instance, -1);
    }
  };
}
