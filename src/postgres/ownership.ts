import { Trouble } from '../errors.ts';
import {
  databaseNamed,
  databaseWithOid,
  roleWithOid,
  type FoundDatabase,
  type FoundRole,
} from './found-objects.ts';
import type { TenantChange } from './tenant-transaction.ts';
import { tombstoneName } from './tombstone-name.ts';

/*
 * What in the catalog is this tenant's. An OID alone proves nothing: after a restore from a dump a registered OID may
 * be another tenant's role or database. The name must agree as well; what does not agree is refused and never touched.
 */

export interface OwnObjects {
  readonly role: FoundRole | undefined;
  readonly database: FoundDatabase | undefined;
}

/** The registered role under the row's name; undefined when it is gone. Throws `Conflict` under another name. */
export async function ownRole({ connection, row }: TenantChange): Promise<FoundRole | undefined> {
  const role = await roleWithOid(connection, row.roleOid);
  if (role === undefined || role.name === row.roleName) return role;
  throw new Trouble(
    'Conflict',
    `the registered role (OID ${role.oid}) is named "${role.name}", not "${row.roleName}"`,
  );
}

/** The same; throws `StaleDecision` when it is gone. */
export async function requireRole(change: TenantChange): Promise<FoundRole> {
  const role = await ownRole(change);
  if (role === undefined) throw new Trouble('StaleDecision', 'the registered role is not there');
  return role;
}

/** The registered database under the row's name or its tombstone name. Throws `DatabaseRenamed` under any other. */
export async function registeredDatabase(change: TenantChange): Promise<FoundDatabase | undefined> {
  const { connection, row, tenant } = change;
  const database = await databaseWithOid(connection, row.databaseOid);
  if (database === undefined || database.name === row.databaseName) return database;
  if (database.name === tombstoneName(tenant.tenantUid)) return database;
  throw databaseRenamed(database, row.databaseName);
}

/**
 * Role and database: the registered database, else one of the row's name that the registered role owns (created and not
 * registered yet, or restored by a DBA). `create database` cannot be part of a transaction, so its owner is the proof.
 */
export async function ownObjects(change: TenantChange): Promise<OwnObjects> {
  const role = await ownRole(change);
  const registered = await registeredDatabase(change);
  if (registered !== undefined || role === undefined) return { role, database: registered };
  const named = await databaseNamed(change.connection, change.row.databaseName);
  return { role, database: named?.ownerOid === role.oid ? named : undefined };
}

/** The same, for taking them away. Throws `Conflict` also when the database belongs to somebody else. */
export async function removableObjects(change: TenantChange): Promise<OwnObjects> {
  const found = await ownObjects(change);
  if (found.database !== undefined) refuseOtherOwner(found.database, found.role);
  return found;
}

/** Where the registered role is gone, somebody had to give its database to another role first. */
export function refuseOtherOwner(database: FoundDatabase, role: FoundRole | undefined): void {
  if (role === undefined || database.ownerOid === role.oid) return;
  throw new Trouble(
    'Conflict',
    `database "${database.name}" belongs to "${database.ownerName}", not to "${role.name}"`,
  );
}

export const databaseRenamed = (database: FoundDatabase, name: string): Trouble =>
  new Trouble(
    'DatabaseRenamed',
    `the registered database (OID ${database.oid}) is named "${database.name}", not "${name}"`,
  );
