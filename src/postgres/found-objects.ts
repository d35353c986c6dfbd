import { z } from 'zod';

import { interruptedDrop } from '../domain/database-checks.ts';
import type { Connection } from './connection.ts';
import { sql, type Sql } from './sql.ts';

const roleShape = z.object({ oid: z.string(), name: z.string() });

const databaseShape = z.object({
  oid: z.string(),
  name: z.string(),
  ownerOid: z.string(),
  ownerName: z.string(),
  allowConnections: z.boolean(),
  connectionLimit: z.int(),
});

export type FoundRole = z.infer<typeof roleShape>;
export type FoundDatabase = z.infer<typeof databaseShape>;

async function findRole(connection: Connection, condition: Sql): Promise<FoundRole | undefined> {
  const [role] = await connection.rows(
    roleShape,
    sql`select r.oid::text as oid, r.rolname as name from pg_catalog.pg_roles r where ${condition}`,
  );
  return role;
}

async function findDatabase(connection: Connection, condition: Sql): Promise<FoundDatabase | undefined> {
  const [database] = await connection.rows(
    databaseShape,
    sql`
      select d.oid::text as oid, d.datname as name, d.datdba::text as "ownerOid",
             pg_catalog.pg_get_userbyid(d.datdba) as "ownerName",
             d.datallowconn as "allowConnections", d.datconnlimit as "connectionLimit"
        from pg_catalog.pg_database d
       where ${condition}`,
  );
  return database;
}

/** Under whatever name it has now: see `ownRole` for what that is worth. */
export const roleWithOid = (connection: Connection, oid: string | null): Promise<FoundRole | undefined> =>
  findRole(connection, sql`r.oid = ${oid}::oid`);

export const roleNamed = (connection: Connection, name: string): Promise<FoundRole | undefined> =>
  findRole(connection, sql`r.rolname = ${name}::name`);

/** Under whatever name it has now: see `registeredDatabase` for what that is worth. */
export const databaseWithOid = (
  connection: Connection,
  oid: string | null,
): Promise<FoundDatabase | undefined> => findDatabase(connection, sql`d.oid = ${oid}::oid`);

export const databaseNamed = (connection: Connection, name: string): Promise<FoundDatabase | undefined> =>
  findDatabase(connection, sql`d.datname = ${name}::name`);

/** An interrupted drop left it behind: `alter database` on it ends the session (FATAL), only drop helps. */
export const isBroken = (database: FoundDatabase): boolean => database.connectionLimit === interruptedDrop;
