import type { ServerTarget } from '../reconcile/ports.ts';
import type { Backends } from './backends.ts';
import { connectionConfig, managementLogin } from './connection-config.ts';
import { Connection } from './connection.ts';
import type { Limits } from './limits.ts';
import { managementLoginTrouble } from './management-login-errors.ts';

/** What every operation on one server needs. */
export interface ServerContext {
  readonly target: ServerTarget;
  readonly limits: Limits;
  readonly backends: Backends;
}

interface ManagementOptions {
  readonly applicationName: string;
  readonly statementMs: number;
  /** Absent: the management database. */
  readonly database?: string;
  /** Absent: not known yet. */
  readonly serverMajor?: number;
}

/** Opens a management session; the caller ends it. Throws `Trouble` that says why the login fails. */
export async function openManagement(
  target: ServerTarget,
  limits: Limits,
  options: ManagementOptions,
): Promise<Connection> {
  const { applicationName, statementMs, ...more } = options;
  const login = managementLogin(target, applicationName, statementMs);
  const connection = new Connection(connectionConfig(target, { ...login, ...more }, limits));
  try {
    await connection.connect();
    return connection;
  } catch (error) {
    connection.destroy();
    throw managementLoginTrouble(error, target, options.database ?? target.managementDatabase);
  }
}
