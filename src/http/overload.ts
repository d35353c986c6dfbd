import { Trouble } from '../errors.ts';

/** Trouble `Busy` of the hook itself, not of what it works on. */
export class Overload extends Trouble {
  override readonly cause: 'in_flight_limit' | 'deadline';

  constructor(cause: Overload['cause'], message: string, retryAfterSeconds: number) {
    super('Busy', message, { retryAfterSeconds });
    this.cause = cause;
  }
}
