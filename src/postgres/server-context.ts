import type { ServerTarget } from '../reconcile/ports.ts';
import type { Backends } from './backends.ts';
import { connectionConfig, managementLogin } from './connection-config.ts';
import { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { managementLoginTrouble } from './management-login-errors.ts';
import { sql } from './sql.ts';
import type { AddressesOf } from './named-socket.ts';

/** What every operation on one server needs. */
export interface ServerContext {
  readonly target: ServerTarget;
  readonly limits: Limits;
  readonly backends: Backends;
  readonly addressesOf: AddressesOf;
}

interface ManagementOptions {
  readonly applicationName: string;
  readonly statementMs: number;
  /** Absent: the management database. */
  readonly database?: string;
  /** 0: not known yet. */
  readonly serverMajor: number;
}

/** Opens a management session; the caller ends it. Throws `Trouble` that says why the login fails. */
export async function openManagement(
  { target, limits, addressesOf }: Omit<ServerContext, 'backends'>,
  options: ManagementOptions,
): Promise<Connection> {
  const { applicationName, statementMs, ...more } = options;
  const { serverMajor: major } = options;
  const login = managementLogin(target, applicationName, statementMs);
  const connection = new Connection(connectionConfig(target, { ...login, ...more }, limits), addressesOf);
  try {
    await connection.connect();
    if (major === 0) await endTransactionLimit(connection);
    return connection;
  } catch (error) {
    connection.destroy();
    throw managementLoginTrouble(error, target, {
      database: options.database ?? target.managementDatabase,
      serverMajor: major === 0 ? connection.serverMajor : major,
    });
  }
}

/** The startup options say nothing of it while the version is not known, and a server may have it (17 and newer). */
async function endTransactionLimit(connection: Connection): Promise<void> {
  if (connection.serverMajor >= 17) await connection.run(sql`set transaction_timeout = 0`);
}
