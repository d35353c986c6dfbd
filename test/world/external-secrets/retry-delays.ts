/** After the first failure; each further one doubles it. */
const firstMs = 1_000;

/** How long each key waits after failing again and again. */
export class RetryDelays {
  readonly #maxMs: number;
  readonly #failures = new Map<string, number>();

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  next(key: string): number {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    return Math.min(firstMs * 2 ** failures, this.#maxMs);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }

  forgetAll(): void {
    this.#failures.clear();
  }
}
