import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { metaRowLost } from './registry-presence.ts';
import { sql } from './sql.ts';
import { unknownSystem } from './system-identifier.ts';
import { tombstoneNameOf } from './tombstone-name.ts';
import { inTransaction } from './transaction.ts';

const metaRow = z.object({ registered: z.string() });

/**
 * Takes the server that answers now as the registry's own; `from` is the one that was registered before. In the same
 * transaction the rows forget every OID that does not fit: in a cluster that was restored from a dump it may be another
 * tenant's role or database. Does nothing when the server is registered already. Throws `StaleDecision`,
 * `RegistryMissing`.
 */
export async function acceptServer(connection: Connection, from: string): Promise<void> {
  const current = (await connection.systemIdentifier()) ?? unknownSystem;
  await inTransaction(connection, async () => {
    const [meta] = await connection.rows(
      metaRow,
      sql`select m.system_identifier as registered from pgtenancy.meta m for update`,
    );
    if (meta === undefined) throw metaRowLost();
    const { registered } = meta;
    if (registered === current) return;
    if (registered !== from && registered !== unknownSystem) {
      throw new Trouble(
        'StaleDecision',
        'the registry was made for yet another server than the one that was confirmed',
      );
    }
    await connection.run(sql`update pgtenancy.meta set system_identifier = ${current}`);
    await forgetForeignOids(connection);
  });
}

/** What stays: a role under the row's name, and a database that it owns under the row's name or its tombstone name. */
async function forgetForeignOids(connection: Connection): Promise<void> {
  await connection.run(sql`
    update pgtenancy.tenant t
       set role_oid = own.role_oid, database_oid = own.database_oid
      from (select t.tenant_uid, r.oid as role_oid, d.oid as database_oid
              from pgtenancy.tenant t
              left join pg_catalog.pg_roles r
                on r.oid = t.role_oid and r.rolname = t.role_name::name
              left join pg_catalog.pg_database d
                on d.oid = t.database_oid and d.datdba = r.oid
               and d.datname in (t.database_name::name, ${tombstoneNameOf(sql`t.tenant_uid`)}::name)) own
     where own.tenant_uid = t.tenant_uid
       and (own.role_oid is distinct from t.role_oid or own.database_oid is distinct from t.database_oid)`);
}
