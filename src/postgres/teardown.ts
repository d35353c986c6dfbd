import { listed } from '../domain/listed.ts';
import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { asOwner } from './as-owner.ts';
import type { Connection } from './connection.ts';
import { sqlState } from './errors.ts';
import { isBroken, type FoundDatabase, type FoundRole } from './found-objects.ts';
import { removableObjects, type OwnObjects } from './ownership.ts';
import { inNameOf } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { changeTenant, refuseRetained } from './tenant-transaction.ts';
import { terminateSessions } from './terminate-sessions.ts';
import { tombstoneName } from './tombstone-name.ts';

/**
 * Role NOLOGIN, connections refused, no template: one transaction. What is gone already is left out. Sessions are ended
 * first, because one of them may hold a lock on role or database. Like every step here it throws `DatabaseRenamed` or
 * `Conflict` when role or database are not what the row says, `LockHeld` when another session came in between.
 */
export const close = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    refuseRetained(change.row);
    const own = await removableObjects(change);
    await asOwner(change, own, () => shut(change.connection, own));
  });

async function shut(connection: Connection, { role, database }: OwnObjects): Promise<void> {
  await terminateSessions(connection, { databaseOid: database?.oid ?? null, roleOid: role?.oid ?? null });
  if (database !== undefined && !isBroken(database)) {
    await connection.run(sql`
      alter database ${sql.id(database.name)} with is_template false allow_connections false`);
  }
  if (role !== undefined) await connection.run(sql`alter role ${sql.id(role.name)} nologin`);
}

/**
 * Terminates the sessions by OID, then renames the database to its tombstone name and registers its OID, so that the
 * drop can be sure what it drops. Throws `StaleDecision` unless it is closed, `DeletionBlocked` while it is in use.
 */
export const tombstone = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const own = await removableObjects(change);
    const { role, database } = own;
    const name = tombstoneName(tenant.tenantUid);
    if (database === undefined || database.name === name) return;
    if (database.allowConnections && !isBroken(database)) {
      throw new Trouble('StaleDecision', 'the database still accepts connections');
    }
    await asOwner(change, own, () => moveAside(connection, database, { to: name, role }));
    await connection.run(sql`
      update pgtenancy.tenant t set database_oid = ${database.oid}::oid
       where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

interface Aside {
  readonly to: string;
  readonly role: FoundRole | undefined;
}

/** The server itself waits up to 5 s until the terminated sessions are gone; those that are left would not go. */
async function moveAside(connection: Connection, database: FoundDatabase, aside: Aside): Promise<void> {
  await endAll(connection, database, aside.role);
  try {
    await connection.run(sql`alter database ${sql.id(database.name)} rename to ${sql.id(aside.to)}`);
  } catch (error) {
    throw asBlocked(error, database.name);
  }
}

/** Throws `DeletionBlocked` with the users whose sessions the management role may not end. */
async function endAll(
  connection: Connection,
  { name, oid }: FoundDatabase,
  role: FoundRole | undefined,
): Promise<void> {
  const end = () => terminateSessions(connection, { databaseOid: oid, roleOid: role?.oid ?? null });
  const untouchable: string[] = [];
  for (const visitor of await end()) {
    // Other tenants, whom the owner let in.
    const ended = await inNameOf(connection, visitor, end);
    if (!ended) untouchable.push(`"${visitor.name}"`);
  }
  if (untouchable.length === 0) return;
  const users = listed(untouchable);
  throw new Trouble(
    'DeletionBlocked',
    `sessions of ${users} in database "${name}" are not the management role's to end; a superuser ends them: select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
}

/** 55006: sessions that could not be ended, prepared transactions, subscriptions or active slots. */
export function asBlocked(error: unknown, name: string): unknown {
  if (sqlState(error) !== '55006') return error;
  return new Trouble(
    'DeletionBlocked',
    `database "${name}" is in use by sessions, prepared transactions, subscriptions or replication slots; a database administrator ends them (pg_stat_activity, pg_prepared_xacts, pg_subscription, pg_replication_slots)`,
  );
}
