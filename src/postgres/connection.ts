import { TLSSocket } from 'node:tls';

import type { ClientConfig } from 'pg';
import { z } from 'zod';

import { sqlState } from './errors.ts';
import { namedSocket, type AddressesOf } from './named-socket.ts';
import { SafeClient } from './safe-client.ts';
import { sql, type Sql } from './sql.ts';

/** How long a polite goodbye may take before the socket is simply closed. */
const farewellMs = 1_000;

const identifierRow = z.object({ value: z.string() });

/** One session. Executes only `Sql`; errors are pg's own, so that callers can look at the SQLSTATE. */
export class Connection {
  readonly #client: SafeClient;
  #systemIdentifier: { readonly value: string | null } | undefined;

  constructor(config: ClientConfig, addressesOf: AddressesOf) {
    this.#client = new SafeClient({ ...config, stream: () => namedSocket(addressesOf) });
  }

  async connect(): Promise<void> {
    await this.#client.connect();
  }

  /** What the handshake proved about the password, also when `connect` failed after it. */
  get authenticated(): 'none' | 'scram' | undefined {
    return this.#client.authenticated;
  }

  /** The pid that the other side gave when the session began. */
  get announcedPid(): number | null {
    return this.#client.processID;
  }

  /** The server's major version, e.g. 17; 0 while it is not known. */
  get serverMajor(): number {
    return this.#client.serverMajor;
  }

  /** True when the other side closed it, or we did. */
  get closed(): boolean {
    return this.#client.closed;
  }

  /**
   * `system_identifier` of the cluster (`pg_control_system()`), null where the service forbids that function. Asked
   * once for each connection: behind the same address another connection may reach another server.
   */
  async systemIdentifier(): Promise<string | null> {
    this.#systemIdentifier ??= await this.#askSystemIdentifier();
    return this.#systemIdentifier.value;
  }

  /** The server's certificate (DER); undefined without TLS. */
  get certificate(): Buffer | undefined {
    const { stream } = this.#client.connection;
    if (!(stream instanceof TLSSocket)) return undefined;
    const peer = stream.getPeerCertificate();
    return 'raw' in peer ? peer.raw : undefined;
  }

  /** Runs a statement and returns its rows, checked. */
  async rows<T>(shape: z.ZodType<T>, statement: Sql): Promise<T[]> {
    const { rows } = await this.#send(statement);
    return rows.map((row) => shape.parse(row));
  }

  /** The one row of a statement that always gives one. */
  async row<T>(shape: z.ZodType<T>, statement: Sql): Promise<T> {
    const [row] = await this.rows(shape, statement);
    if (row === undefined) throw new Error('a statement that always gives a row gave none');
    return row;
  }

  /** Runs a statement and returns the number of rows that it touched. */
  async run(statement: Sql): Promise<number> {
    const { rowCount } = await this.#send(statement);
    return rowCount ?? 0;
  }

  /** Ends the session and waits, for a second at most, until the server has ended it too. */
  async end(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), farewellMs);
    await Promise.race([this.#client.end().catch(() => undefined), late]);
    clearTimeout(timer);
    this.#client.destroy();
  }

  /** Drops the connection at once: what runs on it is not waited for. */
  destroy(): void {
    this.#client.destroy();
  }

  async #askSystemIdentifier(): Promise<{ value: string | null }> {
    try {
      return await this.row(
        identifierRow,
        sql`select system_identifier::text as value from pg_catalog.pg_control_system()`,
      );
    } catch (error) {
      if (sqlState(error) === '42501') return { value: null };
      throw error;
    }
  }

  async #send({ text, values }: Sql) {
    return await this.#client.query<Record<string, unknown>>(text, [...values]);
  }
}
