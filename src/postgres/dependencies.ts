import { z } from 'zod';

import { mostNames, type BoundedList } from './bounded-list.ts';
import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

const dependencyRow = z.object({ text: z.string(), count: z.int() });

/**
 * What would make `drop role` fail outside of the tenant's own database: objects and grants (also what a policy says of
 * the role) in other databases, ownership of and grants on shared objects. Grants on databases are left out: anybody
 * can give them for a database of his own, so they must not block, and are revoked with the role. For people, the first
 * ones in a fixed order.
 */
export async function readDependencies(
  connection: Connection,
  roleOid: string | null,
  databaseOid: string | null,
): Promise<BoundedList> {
  const rows = await connection.rows(
    dependencyRow,
    sql`
      with dependency as (
             select s.*
               from pg_catalog.pg_shdepend s
              where s.refclassid = 'pg_catalog.pg_authid'::regclass
                and s.refobjid = ${roleOid}::oid
                and s.dbid is distinct from ${databaseOid}::oid
                and not (s.classid = 'pg_catalog.pg_database'::regclass
                         and (s.deptype = 'a' or s.objid is not distinct from ${databaseOid}::oid))),
           description as (
             select count(*) || case when s.deptype = 'o' then ' object' else ' grant' end ||
                    case count(*) when 1 then '' else 's' end || ' in database ' ||
                    coalesce(d.datname, s.dbid::text) as text
               from dependency s
               left join pg_catalog.pg_database d on d.oid = s.dbid
              where s.dbid <> 0
              group by s.dbid, d.datname, s.deptype = 'o'
              union all
             select case s.deptype when 'o' then 'ownership of ' else 'privileges for ' end ||
                    pg_catalog.pg_describe_object(s.classid, s.objid, s.objsubid)
               from dependency s
              where s.dbid = 0)
      select d.text, (count(*) over ())::integer as count
        from description d
       order by d.text limit ${mostNames}`,
  );
  return { names: rows.map(({ text }) => text), count: rows[0]?.count ?? 0 };
}
