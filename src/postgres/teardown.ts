import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { withCount } from './bounded-list.ts';
import type { Connection } from './connection.ts';
import { readDependencies } from './dependencies.ts';
import { sqlState, withTranslation } from './errors.ts';
import type { LongStatements } from './long-statements.ts';
import { databaseNamed, isBroken } from './found-objects.ts';
import { revokeForeignGrants } from './foreign-grants.ts';
import { ownObjects, ownRole, refuseOtherOwner, removableObjects } from './ownership.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { changeTenant, changeTenantOn, refuseRetained, type TenantChange } from './tenant-transaction.ts';
import { terminateSessions } from './terminate-sessions.ts';
import { tombstoneName } from './tombstone-name.ts';

/**
 * Role NOLOGIN, connections refused, no template: one transaction. What is gone already is left out. Sessions are ended
 * first, because one of them may hold a lock on role or database. Like every step here it throws `DatabaseRenamed` or
 * `Conflict` when role or database are not what the row says, `LockHeld` when another session came in between.
 */
export const close = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await removableObjects(change);
    await terminateSessions(connection, {
      databaseOid: database?.oid ?? null,
      roleOid: role?.oid ?? null,
    });
    if (database !== undefined && !isBroken(database)) {
      await connection.run(sql`
        alter database ${sql.id(database.name)} with is_template false allow_connections false`);
    }
    if (role !== undefined) await connection.run(sql`alter role ${sql.id(role.name)} nologin`);
  });

/**
 * Terminates the sessions by OID, then renames the database to its tombstone name and registers its OID, so that the
 * drop can be sure what it drops. Throws `StaleDecision` unless it is closed, `DeletionBlocked` while it is in use.
 */
export const tombstone = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await removableObjects(change);
    const name = tombstoneName(tenant.tenantUid);
    if (database === undefined || database.name === name) return;
    if (database.allowConnections && !isBroken(database)) {
      throw new Trouble('StaleDecision', 'the database still accepts connections');
    }
    await terminateSessions(connection, { databaseOid: database.oid, roleOid: role?.oid ?? null });
    await rename(connection, database.name, name);
    await connection.run(sql`
      update pgtenancy.tenant t set database_oid = ${database.oid}::oid
       where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

/** The server itself waits up to 5 s until the terminated sessions are gone. */
async function rename(connection: Connection, from: string, to: string): Promise<void> {
  try {
    await connection.run(sql`alter database ${sql.id(from)} rename to ${sql.id(to)}`);
  } catch (error) {
    throw asBlocked(error, from);
  }
}

/** `drop database ... with (force)` under the tombstone name, if that is the registered database. */
export const dropDatabase = (
  server: ServerContext,
  long: LongStatements,
  tenant: TenantHandle,
): Promise<void> =>
  long.run(server, 'drop', tenant, async (connection) => {
    const name = tombstoneName(tenant.tenantUid);
    const there = await changeTenantOn(connection, server, tenant, (change) => verifyTombstone(change, name));
    if (!there) return;
    try {
      await connection.run(sql`drop database if exists ${sql.id(name)} with (force)`);
    } catch (error) {
      throw asBlocked(error, name);
    }
  });

async function verifyTombstone(change: TenantChange, name: string): Promise<boolean> {
  const { connection, row } = change;
  refuseRetained(row);
  const found = await databaseNamed(connection, name);
  if (found === undefined) return false;
  if (found.oid !== row.databaseOid) {
    throw new Trouble('Conflict', `database "${name}" exists and is not the registered one`);
  }
  refuseOtherOwner(found, await ownRole(change));
  return true;
}

/**
 * Drops the role of the registered OID and what others granted it on databases; the row forgets role and database. Throws `DeletionBlocked` with what depends
 * on the role, `StaleDecision` while the database exists.
 */
export const dropRole = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await ownObjects(change);
    if (database !== undefined) throw databaseRemains();
    if (role !== undefined) {
      const dependencies = await readDependencies(connection, role.oid, null);
      if (dependencies.count > 0) {
        const shown = withCount(dependencies, 5).join('; ');
        throw new Trouble('DeletionBlocked', `role "${role.name}" still has ${shown}`);
      }
      // A session does not block the drop; it would live on as a role that does not exist.
      await terminateSessions(connection, { databaseOid: null, roleOid: role.oid });
      await revokeForeignGrants(connection, role);
      await connection.run(sql`drop role ${sql.id(role.name)}`);
    }
    await connection.run(sql`
      update pgtenancy.tenant t set role_oid = null, database_oid = null
       where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

/** Deletes the row, only while role and database are seen to be gone under its lock. A row that is gone is fine. */
export async function release(server: ServerContext, tenant: TenantHandle): Promise<void> {
  if (await isReleased(server, tenant)) return;
  await changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await ownObjects(change);
    const buried = await databaseNamed(connection, tombstoneName(tenant.tenantUid));
    if (buried !== undefined || database !== undefined) throw databaseRemains();
    if (role !== undefined) {
      throw new Trouble('StaleDecision', 'the role still exists');
    }
    await connection.run(sql`delete from pgtenancy.tenant t where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });
}

const isReleased = (server: ServerContext, tenant: TenantHandle): Promise<boolean> =>
  withTranslation(() =>
    server.backends.lend(async (connection) => {
      const row = sql`select from pgtenancy.tenant t where t.tenant_uid = ${tenant.tenantUid}::uuid`;
      return (await connection.run(row)) === 0;
    }),
  );

const databaseRemains = () => new Trouble('StaleDecision', 'the database still exists');

/** 55006: sessions that could not be ended, prepared transactions, subscriptions or active slots. */
function asBlocked(error: unknown, name: string): unknown {
  if (sqlState(error) !== '55006') return error;
  return new Trouble(
    'DeletionBlocked',
    `database "${name}" is in use: sessions, prepared transactions, subscriptions or replication slots hold it`,
  );
}
