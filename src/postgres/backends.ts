import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { FailedConnect } from './failed-connect.ts';
import { Slots } from './slots.ts';

interface BackendOptions {
  /** How many backends this replica may hold on the server, of whatever kind. */
  readonly max: number;
  readonly idleMs: number;
  readonly slotMs: number;
  /** Opens a connected management session, or throws `Trouble`. */
  readonly open: () => Promise<Connection>;
  readonly memory: FailedConnect;
}

interface Idle {
  readonly connection: Connection;
  readonly timer: NodeJS.Timeout;
}

/**
 * The backends that one replica holds on one server: a small pool of management sessions, and slots for sessions of
 * other kinds (tenant logins, `create database`), all under one limit.
 */
export class Backends {
  readonly #options: BackendOptions;
  readonly #slots: Slots;
  readonly #idle: Idle[] = [];
  #inUse = 0;
  /** Of the newest management session. */
  #serverMajor: number | undefined;
  #retired = false;

  constructor(options: BackendOptions) {
    this.#options = options;
    this.#slots = new Slots(
      options.max,
      options.slotMs,
      "all connections that the Instance's maxConnections allows are in use",
    );
  }

  /**
   * Lends a management session for some work. After an error of the server or the network it is closed, because its
   * state is not known; after a `Trouble`, which we threw ourselves and rolled back, it stays.
   */
  lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#hold(async () => {
      const connection = await this.#take();
      try {
        const result = await work(connection);
        this.#putBack(connection);
        return result;
      } catch (error) {
        if (error instanceof Trouble && !error.outcomeUnknown) this.#putBack(connection);
        else connection.destroy();
        throw error;
      }
    });
  }

  /**
   * Counts a session of another kind, which the work opens and ends itself, under the same limit. The work hears the
   * server's major version, because a startup option that the server does not know ends the session.
   */
  async reserve<T>(work: (serverMajor: number) => Promise<T>): Promise<T> {
    const serverMajor =
      this.#serverMajor ?? (await this.lend(({ serverMajor }) => Promise.resolve(serverMajor)));
    return await this.#hold(async () => {
      await this.#makeRoom();
      return await work(serverMajor);
    });
  }

  /** Closes what is idle now, and what is in use when it comes back. */
  async retire(): Promise<void> {
    this.#retired = true;
    await Promise.all(this.#idle.splice(0).map((idle) => endIdle(idle)));
  }

  #hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#slots.hold(async () => {
      this.#inUse += 1;
      try {
        return await work();
      } finally {
        this.#inUse -= 1;
      }
    });
  }

  async #take(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (!idle.connection.closed) return idle.connection;
    }
    const connection = await this.#options.memory.guard(this.#options.open);
    this.#serverMajor = connection.serverMajor;
    return connection;
  }

  /** Idle sessions are backends too: the oldest ones make room when the limit would be passed. */
  async #makeRoom(): Promise<void> {
    const surplus = this.#inUse + this.#idle.length - this.#options.max;
    if (surplus > 0) await Promise.all(this.#idle.splice(0, surplus).map((idle) => endIdle(idle)));
  }

  #putBack(connection: Connection): void {
    if (this.#retired || connection.closed) {
      void connection.end();
      return;
    }
    const timer = setTimeout(() => void this.#expire(connection), this.#options.idleMs);
    timer.unref();
    this.#idle.push({ connection, timer });
  }

  async #expire(connection: Connection): Promise<void> {
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index >= 0) this.#idle.splice(index, 1);
    await connection.end();
  }
}

async function endIdle({ connection, timer }: Idle): Promise<void> {
  clearTimeout(timer);
  await connection.end();
}
