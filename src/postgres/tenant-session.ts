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

/** Why nothing is seen: 28P01; 53300 after the password was proven; a lock that the tenant holds in its own database. */
type Unseen = 'rejected' | 'authenticated' | 'locked';

/** `lock_timeout` and `statement_timeout`: the tenant can make any look at its own catalog wait for as long as it likes. */
const heldUp: readonly unknown[] = ['55P03', '57014'];

/**
 * Runs work in the tenant's database, logged in as the tenant, and leaves it at once: a session that stayed would take
 * a slot and block rename and drop. Returns 'rejected' when the server does not take the password, 'authenticated' when
 * it does and has no free connection, 'locked' when it does and the work does not end in time. Throws
 * `LoginUnverifiable`, `LoginRefused`, `LoginDelayed`, `StaleDecision` when the database is not the registered one.
 */
export const asTenant = <T>(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
  work: (connection: Connection) => Promise<T>,
): Promise<T | Unseen> => {
  const limits = { ...server.limits, lockMs: server.limits.objectLockMs };
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
    const connection = new Connection(connectionConfig(server.target, login, limits), server.addressesOf);
    try {
      const unseen = await logIn(connection, tenant);
      if (unseen !== undefined) return unseen;
      return await withTranslation(() =>
        unlessHeldUp(async () => {
          await requireRegisteredDatabase(connection, tenant);
          return await work(connection);
        }),
      );
    } finally {
      await connection.end();
    }
  });
};

async function unlessHeldUp<T>(work: () => Promise<T>): Promise<T | 'locked'> {
  try {
    return await work();
  } catch (error) {
    if (heldUp.includes(sqlState(error))) return 'locked';
    throw error;
  }
}

/** Undefined when there is a session and the password is proven, by a whole SCRAM exchange. */
async function logIn(connection: Connection, tenant: TenantHandle): Promise<Unseen | undefined> {
  try {
    await connection.connect();
  } catch (error) {
    const proven = connection.authenticated === 'scram';
    if (sqlState(error) === '28P01') return 'rejected';
    if (sqlState(error) === '53300' && proven) return 'authenticated';
    if (heldUp.includes(sqlState(error)) && proven) return 'locked';
    throw loginTrouble(error, tenant, proven);
  }
  if (connection.authenticated === 'scram') return undefined;
  throw new Trouble(
    'LoginUnverifiable',
    `pg_hba.conf lets role "${tenant.roleName}" in without a SCRAM password; a database administrator makes it say scram-sha-256`,
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
