import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { sqlRoutine, sqlState } from './errors.ts';
import type { LongStatements } from './long-statements.ts';
import { databaseNamed, databaseWithOid, type FoundRole } from './found-objects.ts';
import { managerOf } from './manager.ts';
import { registeredDatabase, requireRole } from './ownership.ts';
import { asTakenBack, returnRights, takeRights } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { changeTenant, changeTenantOn, refuseRetained, type TenantChange } from './tenant-transaction.ts';

/**
 * Creates the tenant's database, closed to everybody: it is opened by the transaction that shuts PUBLIC out. Does
 * nothing when it is there. Throws `Conflict` when another one has its name, `DatabaseRenamed`, `DatabaseLost` when the
 * row registers one that is gone.
 */
export const createDatabase = (
  server: ServerContext,
  long: LongStatements,
  tenant: TenantHandle,
): Promise<void> =>
  long.run(server, 'create', tenant, async (connection) => {
    const owner = await changeTenantOn(connection, server, tenant, ownerOfNewDatabase);
    if (owner === undefined) return;
    try {
      await sendCreate(connection, tenant, owner.role);
    } finally {
      if (owner.granted) await returnRights(connection, tenant, owner.role);
    }
  });

interface NewOwner {
  readonly role: FoundRole;
  /** Its rights were taken, and committed, for the statement that follows. */
  readonly granted: boolean;
}

/** Undefined when the database is there. */
async function ownerOfNewDatabase(change: TenantChange): Promise<NewOwner | undefined> {
  const { connection, row } = change;
  refuseRetained(row);
  const role = await requireRole(change);
  if ((await registeredDatabase(change)) !== undefined) return undefined;
  if (row.databaseOid !== null) throw new Trouble('DatabaseLost', 'the registered database is gone');
  const named = await databaseNamed(connection, row.databaseName);
  if (named === undefined) return { role, granted: await takeRights(connection, role) };
  if (named.ownerOid !== role.oid) throw foreignDatabase(row.databaseName);
  return undefined;
}

/** template0: template1 may be in use, changed by hand, or built with another collation version. */
async function sendCreate(connection: Connection, tenant: TenantHandle, owner: FoundRole): Promise<void> {
  try {
    await connection.run(sql`
      create database ${sql.id(tenant.databaseName)} owner ${sql.id(tenant.roleName)}
        template template0 encoding 'UTF8' allow_connections false`);
  } catch (error) {
    // Somebody was faster, perhaps another replica: the next catalog read says whose it is.
    if (sqlState(error) === '42P04' || sqlState(error) === '23505') return;
    if (sqlState(error) === '42501' && sqlRoutine(error) === 'createdb') {
      throw await mayNotCreate(connection, owner);
    }
    throw asTakenBack(error);
  }
}

async function mayNotCreate(connection: Connection, owner: FoundRole): Promise<Trouble> {
  const { name } = await managerOf(connection, owner);
  return new Trouble(
    'RightsMissing',
    `management role "${name}" may not create databases; a superuser runs: alter role ${sqlName(name)} createdb`,
  );
}

/** Forgets the OID of a registered database that is gone; refuses (`StaleDecision`) while it exists. */
export const forgetDatabase = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async ({ connection, row }) => {
    if ((await databaseWithOid(connection, row.databaseOid)) !== undefined) {
      throw new Trouble('StaleDecision', 'the registered database exists');
    }
    await connection.run(sql`
      update pgtenancy.tenant t set database_oid = null where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

export const foreignDatabase = (name: string) =>
  new Trouble('Conflict', `database "${name}" exists and is not owned by the registered role`);
