import { z } from 'zod';

import type { Connection } from './connection.ts';
import { sql } from './sql.ts';
import type { LockedRow } from './tenant-transaction.ts';

const roleShape = z.object({ oid: z.string(), name: z.string() });

const databaseShape = z.object({
  oid: z.string(),
  name: z.string(),
  ownerOid: z.string(),
  allowConnections: z.boolean(),
  connectionLimit: z.int(),
});

export type FoundRole = z.infer<typeof roleShape>;
export type FoundDatabase = z.infer<typeof databaseShape>;

/** The role that the row registers, under whatever name it has now. */
export async function registeredRole(connection: Connection, row: LockedRow): Promise<FoundRole | undefined> {
  const [role] = await connection.rows(
    roleShape,
    sql`select r.oid::text as oid, r.rolname as name from pg_catalog.pg_roles r where r.oid = ${row.roleOid}::oid`,
  );
  return role;
}

export async function roleNamed(connection: Connection, name: string): Promise<FoundRole | undefined> {
  const [role] = await connection.rows(
    roleShape,
    sql`select r.oid::text as oid, r.rolname as name from pg_catalog.pg_roles r where r.rolname = ${name}::name`,
  );
  return role;
}

/** The database that the row registers, under whatever name it has now. */
export async function registeredDatabase(
  connection: Connection,
  row: LockedRow,
): Promise<FoundDatabase | undefined> {
  const [database] = await connection.rows(
    databaseShape,
    sql`${selectDatabase} where d.oid = ${row.databaseOid}::oid`,
  );
  return database;
}

export async function databaseNamed(
  connection: Connection,
  name: string,
): Promise<FoundDatabase | undefined> {
  const [database] = await connection.rows(
    databaseShape,
    sql`${selectDatabase} where d.datname = ${name}::name`,
  );
  return database;
}

/**
 * The tenant's database: the registered one, else one of the row's name that the registered role owns (created and not
 * registered yet, or restored by a DBA). `create database` cannot be part of a transaction, so its owner is the proof.
 */
export async function ownDatabase(
  connection: Connection,
  row: LockedRow,
): Promise<FoundDatabase | undefined> {
  const registered = await registeredDatabase(connection, row);
  if (registered !== undefined) return registered;
  const named = await databaseNamed(connection, row.databaseName);
  return named?.ownerOid === row.roleOid ? named : undefined;
}

/** An interrupted drop left it behind: `alter database` on it ends the session (FATAL), only drop helps. */
export const isBroken = (database: FoundDatabase): boolean => database.connectionLimit === -2;

const selectDatabase = sql`
  select d.oid::text as oid, d.datname as name, d.datdba::text as "ownerOid",
         d.datallowconn as "allowConnections", d.datconnlimit as "connectionLimit"
    from pg_catalog.pg_database d`;
