import { z } from 'zod';

import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

/** Ends the sessions in a database and those of a role, by OID: a name could mean something else by now. */
export async function terminateSessions(
  connection: Connection,
  of: { readonly databaseOid: string | null; readonly roleOid: string | null },
): Promise<void> {
  await connection.rows(
    z.object({}),
    sql`
      select pg_catalog.pg_terminate_backend(a.pid)
        from pg_catalog.pg_stat_activity a
       where (a.datid = ${of.databaseOid}::oid or a.usesysid = ${of.roleOid}::oid)
         and a.pid <> pg_catalog.pg_backend_pid()`,
  );
}
