import { Trouble } from '../errors.ts';

/**
 * Remembers that a server could not be connected to, for a time that doubles with each failure: syncs of a dead server
 * then fail at once instead of holding Metacontroller's workers until the timeout, and a refused login is not repeated
 * until fail2ban locks it out.
 */
export class FailedConnect {
  readonly #firstMs: number;
  readonly #lastMs: number;
  readonly #now: () => number;
  #delayMs: number;
  #last: { readonly trouble: Trouble; readonly until: number } | undefined;

  constructor(firstMs: number, lastMs: number, now: () => number) {
    this.#firstMs = firstMs;
    this.#lastMs = lastMs;
    this.#now = now;
    this.#delayMs = firstMs;
  }

  /** Runs an attempt, or throws the remembered trouble in its place. */
  async guard<T>(attempt: () => Promise<T>): Promise<T> {
    if (this.#isFresh() && this.#last !== undefined) throw this.#last.trouble;
    try {
      const result = await attempt();
      this.#last = undefined;
      this.#delayMs = this.#firstMs;
      return result;
    } catch (error) {
      if (error instanceof Trouble) this.#remember(error);
      throw error;
    }
  }

  /** Attempts that failed side by side count once. */
  #remember(trouble: Trouble): void {
    if (this.#isFresh()) return;
    this.#last = { trouble, until: this.#now() + this.#delayMs };
    this.#delayMs = Math.min(2 * this.#delayMs, this.#lastMs);
  }

  #isFresh(): boolean {
    return this.#last !== undefined && this.#now() < this.#last.until;
  }
}
