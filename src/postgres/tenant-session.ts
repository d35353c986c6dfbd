import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import { connectionConfig, type Login } from './connection-config.ts';
import { Connection } from './connection.ts';
import { sqlState, withTranslation } from './errors.ts';
import { loginTrouble } from './login-errors.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';

/**
 * Runs work in the tenant's database, logged in as the tenant, and leaves it at once: a session that stayed would take
 * a slot and block rename and drop. Returns 'rejected' when the server does not take the password. Throws
 * `LoginUnverifiable`, `LoginRefused`, `LoginDelayed`, `StaleDecision` when the database is not the registered one.
 */
export const asTenant = <T>(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
  work: (connection: Connection) => Promise<T>,
): Promise<T | 'rejected'> => {
  return server.backends.reserve(async (serverMajor) => {
    const login: Login = {
      username: tenant.roleName,
      password,
      database: tenant.databaseName,
      role: undefined,
      applicationName: 'pgtenancy login',
      statementMs: server.limits.readMs,
      serverMajor,
    };
    const connection = new Connection(connectionConfig(server.target, login, server.limits));
    try {
      if (!(await logIn(connection, tenant))) return 'rejected';
      return await withTranslation(async () => {
        await requireRegisteredDatabase(connection, tenant);
        return await work(connection);
      });
    } finally {
      await connection.end();
    }
  });
};

/** True when the password is proven: a whole SCRAM exchange. False when the server says 28P01. */
async function logIn(connection: Connection, tenant: TenantHandle): Promise<boolean> {
  try {
    await connection.connect();
  } catch (error) {
    if (sqlState(error) === '28P01') return false;
    throw loginTrouble(error, tenant, connection.authenticated === 'scram');
  }
  if (connection.authenticated === 'scram') return true;
  throw new Trouble(
    'LoginUnverifiable',
    `pg_hba.conf lets role "${tenant.roleName}" in without a SCRAM password; it must say scram-sha-256`,
  );
}

/** The name may belong to another database by now: what is seen there must not be taken for the tenant's. */
export async function requireRegisteredDatabase(connection: Connection, tenant: TenantHandle): Promise<void> {
  const { oid } = await connection.row(
    z.object({ oid: z.string() }),
    sql`select d.oid::text as oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()`,
  );
  if (oid !== tenant.databaseOid) {
    throw new Trouble('StaleDecision', 'the database of this name is not the registered one');
  }
}
