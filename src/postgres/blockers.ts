import { z } from 'zod';

import type { DeletionBlockers } from '../domain/catalog.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { mostNames, withCount } from './bounded-list.ts';
import type { Connection } from './connection.ts';
import { readDependencies } from './dependencies.ts';
import { sql, type Sql } from './sql.ts';

const bounded = z.object({ names: z.array(z.string()), count: z.int() });

const blockerShape = z.object({
  databaseOid: z.string().nullable(),
  preparedTransactions: bounded,
  subscriptions: bounded,
  activeSlots: bounded,
});

/** The first few of what a query with one column `name` finds, and how many there are. */
const boundedList = (found: Sql): Sql => sql`(
  with found as materialized (${found})
  select jsonb_build_object(
           'names', array(select f.name from found f order by f.name limit ${mostNames}),
           'count', (select count(*) from found)))`;

/**
 * What stands in the way of dropping this tenant's database and role. The database is the registered one, else the one
 * of its name that the registered role owns. A prepared transaction of the role holds locks in whatever database it was
 * prepared. Inactive slots are dropped together with the database. Each list is short,
 * with a last entry "and 7 more" where there are more.
 */
export async function readBlockers(connection: Connection, tenant: TenantHandle): Promise<DeletionBlockers> {
  const found = await connection.row(
    blockerShape,
    sql`
      select d.oid::text as "databaseOid",
             ${boundedList(sql`
               select case when p.database = d.datname then p.gid
                           else p.gid || ' in database ' || p.database end as name
                 from pg_catalog.pg_prepared_xacts p
                where p.database = d.datname
                   or p.owner = (select r.rolname from pg_catalog.pg_roles r
                                  where r.oid = ${tenant.roleOid}::oid)`)} as "preparedTransactions",
             ${boundedList(sql`
               select s.subname::text as name from pg_catalog.pg_subscription s
                where s.subdbid = d.oid`)} as "subscriptions",
             ${boundedList(sql`
               select s.slot_name::text as name from pg_catalog.pg_replication_slots s
                where s.database = d.datname and s.active`)} as "activeSlots"
        from (values (1)) as one
        left join pg_catalog.pg_database d
          on d.oid = ${tenant.databaseOid}::oid
          or (${tenant.databaseOid}::oid is null
              and d.datname = ${tenant.databaseName}::name and d.datdba = ${tenant.roleOid}::oid)`,
  );
  return {
    dependencies: withCount(await readDependencies(connection, tenant.roleOid, found.databaseOid)),
    preparedTransactions: withCount(found.preparedTransactions),
    subscriptions: withCount(found.subscriptions),
    activeSlots: withCount(found.activeSlots),
  };
}
