import { RetryPlan } from '../back-pressure/retry-plan.ts';
import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { translated } from './errors.ts';
import { LateFailures } from './late-failures.ts';
import { openManagement, type ServerContext } from './server-context.ts';
import { statementMarker } from './tombstone-name.ts';

type Kind = 'create' | 'drop';

/** Both are bound by disk and WAL: more at once are no faster, and they would use up the Instance's backends. */
const most = 2;

/** How long one takes on a server that has not shown it yet, in milliseconds, and how much the newest one counts. */
const firstGuessMs = 1_000;
const weight = 0.2;

/** After this time the server shows the session of every statement that really runs, in milliseconds. */
const visibleMs = 15_000;

interface Running {
  readonly done: Promise<void>;
  /** Milliseconds by the clock given. */
  readonly since: number;
  /** Drops its session; the statement goes on in the server, if that still has it. */
  readonly drop: () => void;
}

/**
 * `create database` and `drop database` on sessions of their own, which outlive the request: a cancelled drop would
 * leave a broken database. The session's application_name shows the statement to every replica's next catalog read.
 */
export class LongStatements {
  readonly #running = new Map<string, Running>();
  readonly #now: () => number;
  readonly #plan: RetryPlan;
  #usualMs = firstGuessMs;
  /** A failure after its caller had gone; told to the next caller, because nobody else would ever see it. */
  readonly #lateFailures: LateFailures;

  constructor(now: () => number) {
    this.#now = now;
    this.#plan = new RetryPlan(now);
    this.#lateFailures = new LateFailures(now);
  }

  /** How many are under way. */
  get count(): number {
    return this.#running.size;
  }

  /**
   * Runs work on its own session and waits for it until `longWaitMs` have passed; then it returns and the work goes on.
   * The same work for the same tenant is not started twice. Throws `Busy` when no slot is free.
   */
  async run(
    server: ServerContext,
    kind: Kind,
    tenant: TenantHandle,
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const marker = statementMarker(kind, tenant.tenantUid);
    const failure = this.#lateFailures.take(marker);
    if (failure !== undefined) throw failure;
    this.#dropLost(marker);
    const running = this.#running.get(marker)?.done ?? this.#start(server, marker, work);
    try {
      if (await finishesWithin(running, server.limits.longWaitMs)) return;
    } catch (error) {
      // Told now: an earlier caller of the same statement, who had gone, has it kept for nobody.
      this.#lateFailures.take(marker);
      throw error;
    }
    running.catch((error: unknown) => {
      if (error instanceof Trouble) this.#lateFailures.add(marker, error);
    });
  }

  #start(
    server: ServerContext,
    marker: string,
    work: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    // One backend stays free for reads, if the Instance allows more than one at all.
    const slots = Math.max(1, Math.min(most, server.target.maxConnections - 1));
    if (this.#running.size >= slots) throw this.#busy(slots);
    const since = this.#now();
    const session: { connection?: Connection } = {};
    const done = server.backends
      .reserve((serverMajor) =>
        onOwnSession(server, { applicationName: marker, serverMajor }, (connection) => {
          session.connection = connection;
          return work(connection);
        }),
      )
      .finally(() => {
        if (this.#running.get(marker)?.done === done) this.#running.delete(marker);
        this.#usualMs += weight * (this.#now() - since - this.#usualMs);
      });
    this.#running.set(marker, { done, since, drop: () => session.connection?.destroy() });
    return done;
  }

  /**
   * Whoever asks has seen no such statement in the server: what has been under way here for longer waits for an answer
   * that was lost, with the server or on the way, and would hold its slot until its time limit.
   */
  #dropLost(marker: string): void {
    const running = this.#running.get(marker);
    if (running === undefined || this.#now() - running.since < visibleMs) return;
    this.#running.delete(marker);
    running.done.catch(() => undefined);
    running.drop();
  }

  /** Told by how long such statements took here, and by how many were told so before. */
  #busy(slots: number): Trouble {
    const paceMs = this.#usualMs / slots;
    const longestMs = Math.max(...[...this.#running.values()].map(({ since }) => this.#now() - since));
    const retryAfterSeconds = this.#plan.next(Math.max(paceMs, this.#usualMs - longestMs), paceMs);
    return new Trouble('Busy', 'as many databases as allowed are being created or dropped', {
      retryAfterSeconds,
    });
  }
}

async function onOwnSession(
  server: ServerContext,
  as: { readonly applicationName: string; readonly serverMajor: number },
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await openManagement(server, { ...as, statementMs: server.limits.longStatementMs });
  try {
    await work(connection);
  } catch (error) {
    throw translated(error);
  } finally {
    await connection.end();
  }
}

/** False when the time was up first; a failure before that is thrown. */
async function finishesWithin(work: Promise<void>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
