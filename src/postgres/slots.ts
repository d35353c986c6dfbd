import { Trouble } from '../errors.ts';
import { busyAgain } from './errors.ts';

/** A counting semaphore whose waiters give up: first come, first served, `Busy` after `waitMs`. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #waitMs: number;
  readonly #message: string;
  #free: number;

  constructor(count: number, waitMs: number, message: string) {
    this.#free = count;
    this.#waitMs = waitMs;
    this.#message = message;
  }

  /** Runs work while it holds a slot. Throws `Busy` when none gets free in time. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } finally {
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
        reject(new Trouble('Busy', this.#message, busyAgain));
      }, this.#waitMs);
      this.#waiting.push(granted);
    });
  }

  /** The slot goes to the next in the queue without becoming free in between, so that nobody jumps it. */
  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
