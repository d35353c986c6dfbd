import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { busyAgain, translated } from './errors.ts';
import { LateFailures } from './late-failures.ts';
import { openManagement, type ServerContext } from './server-context.ts';
import { statementMarker } from './tombstone-name.ts';

type Kind = 'create' | 'drop';

/** Both are bound by disk and WAL: more at once are no faster, and they would use up the Instance's backends. */
const most = 2;

/**
 * `create database` and `drop database` on sessions of their own, which outlive the request: a cancelled drop would
 * leave a broken database. The session's application_name shows the statement to every replica's next catalog read.
 */
export class LongStatements {
  readonly #running = new Map<string, Promise<void>>();
  /** A failure after its caller had gone; told to the next caller, because nobody else would ever see it. */
  readonly #lateFailures: LateFailures;

  constructor(now: () => number) {
    this.#lateFailures = new LateFailures(now);
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
    const running = this.#running.get(marker) ?? this.#start(server, marker, work);
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
    if (this.#running.size >= Math.max(1, Math.min(most, server.target.maxConnections - 1))) {
      throw new Trouble('Busy', 'as many databases as allowed are being created or dropped', busyAgain);
    }
    const running = server.backends
      .reserve((serverMajor) => onOwnSession(server, { applicationName: marker, serverMajor }, work))
      .finally(() => this.#running.delete(marker));
    this.#running.set(marker, running);
    return running;
  }
}

async function onOwnSession(
  server: ServerContext,
  as: { readonly applicationName: string; readonly serverMajor: number },
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const { target, limits } = server;
  const connection = await openManagement(target, limits, { ...as, statementMs: limits.longStatementMs });
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
