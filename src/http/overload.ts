import { Trouble } from '../errors.ts';

/** Trouble `Busy` of the hook itself, not of what it works on. */
export class Overload extends Trouble {
  /** The one that was reached. */
  readonly limit: 'in_flight_limit' | 'deadline';

  constructor(limit: Overload['limit'], message: string, retryAfterSeconds: number) {
    super('Busy', message, { retryAfterSeconds });
    this.limit = limit;
  }
}
