import type { Connection } from './connection.ts';

interface Idle {
  readonly connection: Connection;
  /** When its last work was done. */
  readonly since: number;
  readonly timer: NodeJS.Timeout;
}

/** Management sessions that wait for their next work; each is ended when it was not needed for a while. */
export class IdleSessions {
  readonly #idleMs: number;
  readonly #now: () => number;
  /** In the order in which they came. */
  readonly #idle: Idle[] = [];
  readonly #ending = new Set<Promise<void>>();

  /** `now`: milliseconds that only grow. */
  constructor(idleMs: number, now: () => number) {
    this.#idleMs = idleMs;
    this.#now = now;
  }

  get size(): number {
    return this.#idle.length;
  }

  put(connection: Connection): void {
    const timer = setTimeout(() => this.#expire(connection), this.#idleMs);
    timer.unref();
    this.#idle.push({ connection, since: this.#now(), timer });
  }

  /** The one that was used last, as far as it is known to be open. */
  take(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.connection.closed) return idle.connection;
    }
    return undefined;
  }

  /** Ends the oldest ones, all when nothing else is said. */
  end(count = this.#idle.length): void {
    for (const { connection, timer } of this.#idle.splice(0, count)) {
      clearTimeout(timer);
      this.endOne(connection);
    }
  }

  /** Ends those that have said nothing for so long. */
  endUnheard(milliseconds: number): void {
    const first = this.#idle.findIndex(({ since }) => this.#now() - since < milliseconds);
    this.end(first < 0 ? this.#idle.length : first);
  }

  /** Drops all at once: a server that says nothing answers no goodbye either. */
  destroy(): void {
    for (const { connection, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      connection.destroy();
    }
  }

  endOne(connection: Connection): void {
    const ending = connection.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when the server has ended those that were to be ended, or has had its second for it. */
  async ended(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #expire(connection: Connection): void {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    this.endOne(connection);
  }
}
