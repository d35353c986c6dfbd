import { RetryPlan } from '../back-pressure/retry-plan.ts';
import { Trouble } from '../errors.ts';

interface Options {
  readonly count: number;
  /** Milliseconds after which a waiter gives up. */
  readonly waitMs: number;
  /** What it is told then. */
  readonly message: string;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** How much the newest of the times that slots were held counts. */
const weight = 0.2;

/** A counting semaphore whose waiters give up: first come, first served, `Busy` after `waitMs`. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #options: Options;
  readonly #plan: RetryPlan;
  #free: number;
  /** Milliseconds that a slot is held, on average. */
  #heldMs = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#plan = new RetryPlan(options.now);
    this.#free = options.count;
  }

  get free(): number {
    return this.#free;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Runs work while it holds a slot. Throws `Busy` when none gets free in time. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    const since = this.#options.now();
    try {
      return await work();
    } finally {
      this.#heldMs += weight * (this.#options.now() - since - this.#heldMs);
      this.#give();
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const granted = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(granted), 1);
        reject(this.#busy());
      }, this.#options.waitMs);
      this.#waiting.push(granted);
    });
  }

  /** Those that still wait are served first. */
  #busy(): Trouble {
    const paceMs = this.#heldMs / this.#options.count;
    const retryAfterSeconds = this.#plan.next(this.#waiting.length * paceMs, paceMs);
    return new Trouble('Busy', this.#options.message, { retryAfterSeconds });
  }

  /** The slot goes to the next in the queue without becoming free in between, so that nobody jumps it. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
