import type { ServerTarget } from '../reconcile/ports.ts';
import type { Backends } from './backends.ts';
import { connectionConfig, managementLogin } from './connection-config.ts';
import { Connection } from './connection.ts';
import { translated } from './errors.ts';
import type { Limits } from './limits.ts';

/** What every operation on one server needs. */
export interface ServerContext {
  readonly target: ServerTarget;
  readonly limits: Limits;
  readonly backends: Backends;
}

/** Opens a management session; the caller ends it. Throws `Trouble` that says why the login fails. */
export async function openManagement(
  target: ServerTarget,
  limits: Limits,
  options: { readonly applicationName: string; readonly statementMs: number; readonly database?: string },
): Promise<Connection> {
  const login = managementLogin(target, options.applicationName, options.statementMs);
  const connection = new Connection(
    connectionConfig(target, { ...login, database: options.database ?? login.database }, limits),
  );
  try {
    await connection.connect();
    return connection;
  } catch (error) {
    connection.destroy();
    throw translated(error, 'connect');
  }
}
