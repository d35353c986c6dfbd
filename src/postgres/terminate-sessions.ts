import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { busyAgain } from './errors.ts';
import type { FoundRole } from './found-objects.ts';
import { sql, type Sql } from './sql.ts';

interface Whose {
  readonly databaseOid: string | null;
  readonly roleOid: string | null;
}

const sessionsOf = (of: Whose): Sql => sql`
  pg_catalog.pg_stat_activity a
   where (a.datid = ${of.databaseOid}::oid or a.usesysid = ${of.roleOid}::oid)
     and a.pid <> pg_catalog.pg_backend_pid()`;

const sessionShape = z.object({
  oid: z.string().nullable(),
  name: z.string().nullable(),
  ended: z.boolean(),
  inDatabase: z.boolean(),
});

/**
 * Ends the sessions in a database and those of a role, by OID: a name could mean something else by now. Those that the
 * management role may not end are left out, because one of them would make the whole statement fail: of superusers, of
 * autovacuum (which the server ends itself), of roles whose rights it does not have. Returns whose sessions in the
 * database were left, by name.
 */
export async function terminateSessions(connection: Connection, of: Whose): Promise<readonly FoundRole[]> {
  const sessions = await connection.rows(
    sessionShape,
    sql`
      select a.usesysid::text as oid, a.usename::text as name, coalesce(a.datid = ${of.databaseOid}::oid, false) as "inDatabase",
             case when ${mayEnd} then pg_catalog.pg_terminate_backend(a.pid) is not null else false end as ended
        from ${sessionsOf(of)}`,
  );
  const left = new Map<string, FoundRole>();
  for (const { oid, name, ended, inDatabase } of sessions) {
    if (oid !== null && name !== null && inDatabase && !ended) left.set(name, { oid, name });
  }
  return [...left.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** PostgreSQL, `pg_signal_backend()`. */
const mayEnd = sql`(
  select me.rolsuper
         or (not r.rolsuper and (pg_catalog.pg_has_role(r.oid, 'usage')
                                 or pg_catalog.pg_has_role('pg_signal_backend'::name, 'usage')))
    from pg_catalog.pg_roles me
    left join pg_catalog.pg_roles r on r.oid = a.usesysid
   where me.rolname = current_user)`;

const pollMs = 20;

/**
 * The same, and waits until they are gone: until then one of them could still commit. Must not run in a transaction.
 * What belongs to no role (autovacuum) is not waited for. Throws `Busy` after `limitMs`.
 */
export async function endSessions(connection: Connection, of: Whose, limitMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs <= limitMs; waitedMs += pollMs) {
    await terminateSessions(connection, of);
    const left = await connection.run(sql`select from ${sessionsOf(of)} and a.usesysid is not null`);
    if (left === 0) return;
    await connection.rows(z.object({}), sql`select from pg_catalog.pg_sleep(${pollMs}::float8 / 1000)`);
  }
  throw new Trouble('Busy', 'the sessions of the role or in its database do not end', busyAgain);
}
