import type { Trouble } from '../errors.ts';

/** Far more than run at once. */
const most = 1_000;

/** Older ones say nothing about the server any more; the tenant may long be gone. */
const keptMs = 300_000;

interface Failure {
  readonly trouble: Trouble;
  readonly until: number;
}

/** Failures of statements whose callers had gone, each told once to the next caller. */
export class LateFailures {
  /** In the order in which they came. */
  readonly #failures = new Map<string, Failure>();
  readonly #now: () => number;

  /** `now`: milliseconds of a clock that only goes forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(marker: string, trouble: Trouble): void {
    this.#failures.delete(marker);
    this.#failures.set(marker, { trouble, until: this.#now() + keptMs });
    for (const [oldest, { until }] of this.#failures) {
      if (this.#failures.size <= most && until > this.#now()) return;
      this.#failures.delete(oldest);
    }
  }

  take(marker: string): Trouble | undefined {
    const failure = this.#failures.get(marker);
    this.#failures.delete(marker);
    return failure !== undefined && failure.until > this.#now() ? failure.trouble : undefined;
  }
}
