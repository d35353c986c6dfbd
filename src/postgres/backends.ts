import type { FailureMemory } from '../back-pressure/failure-memory.ts';
import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { sqlState } from './errors.ts';
import { IdleSessions } from './idle-sessions.ts';
import { Slots } from './slots.ts';

interface BackendOptions {
  /** How many backends this replica may hold on the server, of whatever kind. */
  readonly max: number;
  readonly idleMs: number;
  readonly slotMs: number;
  /** A connect that fails later than this met silence and not a refusal. */
  readonly silentMs: number;
  /** Opens a connected management session, or throws `Trouble`. Hears the server's major version, 0 while it is not known. */
  readonly open: (serverMajor: number) => Promise<Connection>;
  /** Of connects that failed. */
  readonly memory: FailureMemory;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

/** Timers may be early by a little. */
const timerMs = 10;

/**
 * The backends that one replica holds on one server: a small pool of management sessions, and slots for sessions of
 * other kinds (tenant logins, `create database`), all under one limit.
 */
export class Backends {
  readonly #options: BackendOptions;
  readonly #slots: Slots;
  /** Sessions of other kinds leave one to the management sessions: a tenant can make its own login last. */
  readonly #others: Slots;
  readonly #idle: IdleSessions;
  /** Management sessions that work is done on. */
  readonly #lent = new Set<Connection>();
  #inUse = 0;
  #connecting = 0;
  /** The last connect got no answer at all. */
  #metSilence = false;
  /** Of the newest management session. */
  #serverMajor: number | undefined;
  #retired = false;

  constructor(options: BackendOptions) {
    const { max: count, idleMs, slotMs: waitMs, now } = options;
    this.#options = options;
    this.#idle = new IdleSessions(idleMs, now);
    const message = "all connections that the Instance's maxConnections allows are in use";
    this.#slots = new Slots({ count, waitMs, message, now });
    this.#others = new Slots({ count: Math.max(1, count - 1), waitMs, message, now });
  }

  /** Backends in use (being opened included) and idle, and callers that wait for one. */
  get usage() {
    return { inUse: this.#inUse, idle: this.#idle.size, waiting: this.#slots.waiting + this.#others.waiting };
  }

  /**
   * A failed connect, while nothing but a new one could help: no session is open. With `due` also one that may be tried
   * again.
   */
  hopeless(due: boolean): Trouble | undefined {
    if (this.#lent.size + this.#idle.size > 0) return undefined;
    const { memory } = this.#options;
    return due ? memory.last : memory.trouble;
  }

  /**
   * Lends a management session for some work. After an error of the server or the network it is closed, because its
   * state is not known; after a `Trouble`, which we threw ourselves and rolled back, it stays.
   */
  lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#hold(async () => this.#workOn(await this.#take(), work));
  }

  /**
   * Counts a session of another kind, which the work opens and ends itself, under the same limit. The work hears the
   * server's major version, because a startup option that the server does not know ends the session.
   */
  async reserve<T>(work: (serverMajor: number) => Promise<T>): Promise<T> {
    const serverMajor =
      this.#serverMajor ?? (await this.lend(({ serverMajor }) => Promise.resolve(serverMajor)));
    const held = () =>
      this.#hold(async () => {
        await this.#makeRoom();
        return await work(serverMajor);
      });
    return await this.#others.hold(held);
  }

  /** Some session is stuck: only those that have answered since may be taken for alive. */
  distrustIdle(): void {
    this.#idle.endUnheard(this.#options.silentMs - timerMs);
  }

  /** The remembered failure of a connect that got no answer at all; a refusal is one. */
  silence(): Trouble | undefined {
    return this.#metSilence ? this.#options.memory.trouble : undefined;
  }

  /** False while all backends are in use, or a connect is under way that will tell by itself. */
  canProbe(): boolean {
    return this.#slots.free > 0 && this.#connecting === 0;
  }

  /**
   * Tries an idle session, for at most `limitMs`; the other idle ones are ended, for they may be as dead. False when
   * there is none or it says nothing. Throws errors of the server, and what the work makes of its answer.
   */
  probeIdle(limitMs: number, work: (connection: Connection) => Promise<void>): Promise<boolean> {
    return this.#hold(async () => {
      const connection = this.#idle.take();
      this.#idle.end();
      if (connection === undefined) return false;
      const timer = setTimeout(() => connection.destroy(), limitMs);
      try {
        await this.#workOn(connection, work);
        return true;
      } catch (error) {
        if (error instanceof Trouble || sqlState(error) !== undefined) throw error;
        return false;
      } finally {
        clearTimeout(timer);
      }
    });
  }

  /** Tries a session that is opened for it. */
  probeNew(work: (connection: Connection) => Promise<void>): Promise<void> {
    return this.#hold(async () => this.#workOn(await this.#open(), work));
  }

  /** The server was found dead: what waits for an answer on a management session waits in vain. */
  abandon(): void {
    this.#idle.destroy();
    for (const connection of this.#lent) connection.destroy();
  }

  /** Closes what is idle now, and what is in use when it comes back. */
  async retire(): Promise<void> {
    this.#retired = true;
    this.#idle.end();
    await this.#idle.ended();
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

  async #workOn<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#lent.add(connection);
    try {
      const result = await work(connection);
      this.#putBack(connection);
      return result;
    } catch (error) {
      if (error instanceof Trouble && !error.outcomeUnknown) this.#putBack(connection);
      else connection.destroy();
      // Without a word of the server it was the network, or the server itself: the idle ones have most likely met the same.
      if (!(error instanceof Trouble) && sqlState(error) === undefined) this.#idle.end();
      throw error;
    } finally {
      this.#lent.delete(connection);
    }
  }

  async #take(): Promise<Connection> {
    return this.#idle.take() ?? (await this.#open());
  }

  async #open(): Promise<Connection> {
    this.#connecting += 1;
    try {
      await this.#idle.ended();
      const connection = await this.#options.memory.guard(() => this.#connect());
      this.#serverMajor = connection.serverMajor;
      return connection;
    } finally {
      this.#connecting -= 1;
    }
  }

  async #connect(): Promise<Connection> {
    const { open, now, silentMs } = this.#options;
    const since = now();
    this.#metSilence = false;
    try {
      return await open(this.#serverMajor ?? 0);
    } catch (error) {
      const unreachable = error instanceof Trouble && error.reason === 'InstanceUnreachable';
      this.#metSilence = unreachable && now() - since >= silentMs;
      throw error;
    }
  }

  /** Idle sessions are backends too: the oldest ones make room when the limit would be passed. */
  async #makeRoom(): Promise<void> {
    const surplus = this.#inUse + this.#idle.size - this.#options.max;
    if (surplus > 0) this.#idle.end(surplus);
    await this.#idle.ended();
  }

  #putBack(connection: Connection): void {
    if (this.#retired || connection.closed) this.#idle.endOne(connection);
    else this.#idle.put(connection);
  }
}
