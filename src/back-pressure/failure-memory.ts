import { Trouble } from '../errors.ts';

interface Options {
  /** Milliseconds for which the first failure is remembered; it doubles with each further one ... */
  readonly firstMs: number;
  /** ... up to this. */
  readonly lastMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/**
 * Remembers that an attempt failed, for a time that doubles with each failure: callers are then told at once what is
 * known instead of waiting for the same failure, and a refused login is not repeated until somebody locks it out. When
 * the time is over one attempt is let through; until it is decided the others go on being told.
 */
export class FailureMemory {
  readonly #options: Options;
  #delayMs: number;
  #last: { readonly trouble: Trouble; readonly at: number; readonly until: number } | undefined;
  #attempts = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#delayMs = options.firstMs;
  }

  /** What there is to tell in place of an attempt; undefined: an attempt may be made. */
  get trouble(): Trouble | undefined {
    return this.#isFresh() || this.#attempts > 0 ? this.#last?.trouble : undefined;
  }

  /** The same, also when its time is over: nothing has succeeded since. */
  get last(): Trouble | undefined {
    return this.#last?.trouble;
  }

  /** Milliseconds since it was last found to fail; undefined: it did not, or something has succeeded since. */
  get ageMs(): number | undefined {
    return this.#last === undefined ? undefined : this.#options.now() - this.#last.at;
  }

  /** Runs an attempt, or throws the remembered trouble in its place. A success wipes the memory. */
  async guard<T>(attempt: () => Promise<T>): Promise<T> {
    const known = this.trouble;
    if (known !== undefined) throw known;
    this.#attempts += 1;
    try {
      const result = await attempt();
      this.forget();
      return result;
    } catch (error) {
      if (error instanceof Trouble) this.remember(error);
      throw error;
    } finally {
      this.#attempts -= 1;
    }
  }

  /** Attempts that failed side by side count once. */
  remember(trouble: Trouble): void {
    if (this.#isFresh()) return;
    const at = this.#options.now();
    this.#last = { trouble, at, until: at + this.#delayMs };
    this.#delayMs = Math.min(2 * this.#delayMs, this.#options.lastMs);
  }

  forget(): void {
    this.#last = undefined;
    this.#delayMs = this.#options.firstMs;
  }

  #isFresh(): boolean {
    return this.#last !== undefined && this.#options.now() < this.#last.until;
  }
}
