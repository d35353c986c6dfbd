import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { foreignDatabase } from './databases.ts';
import { databaseNamed, isBroken, type FoundDatabase, type FoundRole } from './found-objects.ts';
import { requireOwnersRights } from './manager.ts';
import { databaseRenamed, registeredDatabase, requireRole } from './ownership.ts';
import { withRightsOf } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { shutPublicOut } from './shut-public-out.ts';
import { sql } from './sql.ts';
import { changeTenant, refuseRetained, type TenantChange } from './tenant-transaction.ts';

/**
 * Owner, PUBLIC shut out, connections allowed, no limit, no self-grant, OID registered: all in one transaction, so that
 * nobody else can ever connect in between. Throws `Conflict`, `DatabaseRenamed`, `DatabaseLost`, `RightsMissing`.
 */
export const openDatabase = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const role = await requireRole(change);
    const database = await databaseToOpen(change, role.oid);
    await withRightsOf(connection, role, () => harden(change, role, database));
    await connection.run(sql`
      update pgtenancy.tenant t set database_oid = ${database.oid}::oid
       where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

async function harden(
  { connection, tenant }: TenantChange,
  role: FoundRole,
  database: FoundDatabase,
): Promise<void> {
  const name = sql.id(database.name);
  if (database.ownerOid !== role.oid) {
    await requireOwnersRights(connection, database, role);
    await connection.run(sql`alter database ${name} owner to ${sql.id(role.name)}`);
  }
  await shutPublicOut(connection, database);
  await connection.run(
    sql`alter database ${name} with allow_connections true connection limit -1 is_template false`,
  );
  await connection.run(
    sql`comment on database ${name} is ${sql.literal(`pgtenancy tenant ${tenant.tenantUid}`)}`,
  );
}

/** The registered one under its name, or one of the name that the registered role owns (new, or restored by a DBA). */
async function databaseToOpen(change: TenantChange, roleOid: string): Promise<FoundDatabase> {
  const { connection, row } = change;
  const registered = await registeredDatabase(change);
  if (registered !== undefined && registered.name !== row.databaseName) {
    throw databaseRenamed(registered, row.databaseName);
  }
  const database = registered ?? (await databaseNamed(connection, row.databaseName));
  if (database === undefined) throw new Trouble('StaleDecision', 'the database is not there');
  if (registered === undefined && database.ownerOid !== roleOid) throw foreignDatabase(row.databaseName);
  if (isBroken(database)) {
    throw new Trouble('DatabaseLost', `an interrupted drop left database "${database.name}" unusable`);
  }
  return database;
}
