import { Trouble } from '../errors.ts';
import type { Outcome } from './labels.ts';

/** One call of a system around the operator, as metrics and log hear of it. */
export interface Call<Operation extends string = string> {
  readonly operation: Operation;
  readonly seconds: number;
  readonly outcome: Outcome;
  /** What the trouble says; empty where there is none. */
  readonly message: string;
}

/** Makes a call, tells of it, and hands on what came of it. */
export type Timed<Operation extends string> = <T>(operation: Operation, call: () => Promise<T>) => Promise<T>;

/** `now`: milliseconds that only grow. */
export const timed =
  <Operation extends string>(
    tell: (call: Call<Operation>) => void,
    now: () => number = () => performance.now(),
  ): Timed<Operation> =>
  async (operation, call) => {
    const started = now();
    const done = (outcome: Outcome, message = '') =>
      tell({ operation, seconds: (now() - started) / 1000, outcome, message });
    try {
      const result = await call();
      done('ok');
      return result;
    } catch (error) {
      if (error instanceof Trouble) done(error.reason, error.message);
      else done('Bug');
      throw error;
    }
  };
