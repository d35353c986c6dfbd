import { z } from 'zod';

import type { DeletionBlockers } from '../domain/catalog.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { readDependencies } from './dependencies.ts';
import { sql } from './sql.ts';

const blockerShape = z.object({
  databaseOid: z.string().nullable(),
  preparedTransactions: z.array(z.string()),
  subscriptions: z.array(z.string()),
  activeSlots: z.array(z.string()),
});

/**
 * What stands in the way of dropping this tenant's database and role. The database is the registered one, else the one
 * of its name that the registered role owns. Inactive slots are dropped together with the database.
 */
export async function readBlockers(connection: Connection, tenant: TenantHandle): Promise<DeletionBlockers> {
  const { databaseOid, ...inDatabase } = await connection.row(
    blockerShape,
    sql`
      select d.oid::text as "databaseOid",
             array(select p.gid from pg_catalog.pg_prepared_xacts p
                    where p.database = d.datname order by 1) as "preparedTransactions",
             array(select s.subname::text from pg_catalog.pg_subscription s
                    where s.subdbid = d.oid order by 1) as "subscriptions",
             array(select s.slot_name::text from pg_catalog.pg_replication_slots s
                    where s.database = d.datname and s.active order by 1) as "activeSlots"
        from (values (1)) as one
        left join pg_catalog.pg_database d
          on d.oid = ${tenant.databaseOid}::oid
          or (${tenant.databaseOid}::oid is null
              and d.datname = ${tenant.databaseName}::name and d.datdba = ${tenant.roleOid}::oid)`,
  );
  return { ...inDatabase, dependencies: await readDependencies(connection, tenant.roleOid, databaseOid) };
}
