import { z } from 'zod';

import type { Connection } from './connection.ts';
import type { FoundRole } from './found-objects.ts';
import { sql } from './sql.ts';

const grantShape = z.object({ database: z.string(), grantee: z.string() });

/**
 * Revokes what was granted to a role on databases: anybody can grant on a database of his own, and it would keep the
 * role from being dropped. A revoke takes back only what the owner gave. What somebody else handed on falls with the
 * option to grant that he has from the owner.
 */
export async function revokeForeignGrants(connection: Connection, role: FoundRole): Promise<void> {
  for (const { database, grantee } of await firstGrants(connection, role)) {
    const what = grantee === role.name ? sql`all` : sql`grant option for all`;
    await connection.run(sql`revoke ${what} on database ${sql.id(database)} from ${sql.id(grantee)} cascade`);
  }
}

/** Whom the owners gave what came to the role in the end: itself, or somebody who handed it on. */
const firstGrants = (connection: Connection, role: FoundRole) =>
  connection.rows(
    grantShape,
    sql`
      with recursive granted as (
             select d.oid, d.datname, d.datdba, a.grantor, a.grantee
               from pg_catalog.pg_database d, pg_catalog.aclexplode(d.datacl) a),
           chain as (
             select g.* from granted g where g.grantee = ${role.oid}::oid
              union
             select g.*
               from chain c
               join granted g on g.oid = c.oid and g.grantee = c.grantor
              where c.grantor <> c.datdba)
      select distinct c.datname::text as database, pg_catalog.pg_get_userbyid(c.grantee)::text as grantee
        from chain c
       where c.grantor = c.datdba
       order by database, grantee`,
  );
