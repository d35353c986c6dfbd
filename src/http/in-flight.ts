import { Trouble } from '../errors.ts';

/** Metacontroller has a few workers for each kind, and each waits for its answer. */
const maxInFlight = 64;

/**
 * Gives a function that runs work only while fewer than 64 others run. Only what has its whole body takes a place, so
 * clients that send slowly cannot hold them all; and one that hangs up does not free its place while its work goes on.
 * The function throws Trouble `Busy` when all places are taken.
 */
export function limitInFlight(): <T>(work: () => Promise<T>) => Promise<T> {
  let inFlight = 0;
  return async (work) => {
    if (inFlight >= maxInFlight)
      throw new Trouble('Busy', 'too many requests are under way', { retryAfterSeconds: 1 });
    inFlight += 1;
    try {
      return await work();
    } finally {
      inFlight -= 1;
    }
  };
}
