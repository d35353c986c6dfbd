import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { busyAgain } from './errors.ts';
import { sql, type Sql } from './sql.ts';

interface Whose {
  readonly databaseOid: string | null;
  readonly roleOid: string | null;
}

const sessionsOf = (of: Whose): Sql => sql`
  pg_catalog.pg_stat_activity a
   where (a.datid = ${of.databaseOid}::oid or a.usesysid = ${of.roleOid}::oid)
     and a.pid <> pg_catalog.pg_backend_pid()`;

/** Ends the sessions in a database and those of a role, by OID: a name could mean something else by now. */
export async function terminateSessions(connection: Connection, of: Whose): Promise<void> {
  await connection.rows(
    z.object({}),
    sql`select pg_catalog.pg_terminate_backend(a.pid) from ${sessionsOf(of)}`,
  );
}

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
