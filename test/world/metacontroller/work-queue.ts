/** The first retry comes after this time; each further one takes twice as long (client-go's default rate limiter). */
const firstBackoffMs = 5;
/** All retries of one queue share ten a second, with a burst of a hundred. */
const retryIntervalMs = 100;
const retryBurst = 100;

export interface WorkQueueOptions {
  workers: number;
  /** Upper bound of the wait between two tries of one key. */
  maxBackoffMs: number;
  /** Never runs twice at once for one key. What it throws is swallowed: it has to deal with its own errors. */
  work: (key: string) => Promise<void>;
}

/**
 * client-go's rate limiting work queue: a key waits at most once, is worked on by one worker at a time, and comes
 * again when it was added meanwhile. Of several delayed additions the earliest wins and the later ones are forgotten.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  readonly #failures = new Map<string, number>();
  #retryTime = -Infinity;
  #open = false;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys may be added before; nobody works on them until now. */
  start(): void {
    this.#open = true;
    this.#pump();
  }

  add(key: string): void {
    if (this.#closed) return;
    if (this.#running.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#pump();
  }

  addAfter(key: string, delayMs: number): void {
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = Date.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (this.#closed || (earlier !== undefined && earlier.at <= at)) return;
    clearTimeout(earlier?.timer);
    const timer = setTimeout(() => {
      this.#delayed.delete(key);
      this.add(key);
    }, delayMs);
    this.#delayed.set(key, { at, timer });
  }

  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const ownMs = Math.min(firstBackoffMs * 2 ** failures, this.#options.maxBackoffMs);
    this.addAfter(key, Math.max(ownMs, this.#reserveRetry()));
  }

  /** The next failure of this key counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Takes nothing more, and waits for what is being worked on. */
  async shutDown(): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#delayed.values()) clearTimeout(timer);
    this.#delayed.clear();
    this.#waiting.clear();
    this.#again.clear();
    await Promise.all(this.#running.values());
  }

  #pump(): void {
    for (const key of this.#waiting) {
      if (!this.#open || this.#closed || this.#running.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      this.#running.set(key, this.#run(key));
    }
  }

  async #run(key: string): Promise<void> {
    // Off the caller's stack, so that the key is marked as running before its work can add it again.
    await Promise.resolve();
    try {
      await this.#options.work(key);
    } catch {
      // Documented at `work`.
    } finally {
      this.#running.delete(key);
      if (this.#again.delete(key)) this.#waiting.add(key);
      this.#pump();
    }
  }

  #reserveRetry(): number {
    const now = Date.now();
    this.#retryTime = Math.max(this.#retryTime, now - retryBurst * retryIntervalMs) + retryIntervalMs;
    return Math.max(0, this.#retryTime - now);
  }
}
