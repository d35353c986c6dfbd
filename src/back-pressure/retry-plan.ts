/** Longer would keep callers away from something that has long been mended. */
const mostMs = 60_000;
/** The last quarter of the minute stays for spreading those that could be told nothing but "late". */
const latestFirstMs = 45_000;

/**
 * Tells those who are turned away when to come back: one after the other, as if they stood in a queue. A thousand who
 * were turned away together would else return in the same second, and be turned away again.
 */
export class RetryPlan {
  readonly #now: () => number;
  #last = Number.NEGATIVE_INFINITY;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Whole seconds, 1 to 60. `earliestMs`: how long it will take at least; `paceMs`: how long one caller takes. Beyond a
   * minute the queue is filled from its front again.
   */
  next(earliestMs: number, paceMs: number): number {
    const now = this.#now();
    const earliest = now + Math.min(earliestMs, latestFirstMs);
    const place = Math.max(earliest, this.#last + paceMs);
    this.#last = place - now > mostMs ? earliest : place;
    return Math.max(1, Math.ceil((this.#last - now) / 1000));
  }
}
