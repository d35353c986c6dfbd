import { z } from 'zod';

import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

const shape = z.object({ pristine: z.boolean() });

/**
 * True when the database of this session holds nothing that a superuser's session could trip over: no object that was
 * made after `initdb` (OIDs from 16384 on), other than what extensions brought. The owner of an extension can make an
 * object of his own a member of it, so a member counts as brought only when it belongs to a superuser or to nobody.
 * Schemas do not count. A prepared transaction does: what it made is not seen before it commits. Parts of other objects (`i`: row types, TOAST tables, casts of a range) and indexes go with
 * those.
 */
export async function isPristine(connection: Connection): Promise<boolean> {
  const { pristine } = await connection.row(
    shape,
    sql`
      with made as (
             select c.tableoid, c.oid, c.relowner as owner from pg_catalog.pg_class c
              where c.relkind not in ('i', 'I', 't')
              union all select p.tableoid, p.oid, p.proowner from pg_catalog.pg_proc p
              union all select t.tableoid, t.oid, t.typowner from pg_catalog.pg_type t
              union all select o.tableoid, o.oid, o.oprowner from pg_catalog.pg_operator o
              union all select o.tableoid, o.oid, o.opcowner from pg_catalog.pg_opclass o
              union all select o.tableoid, o.oid, o.opfowner from pg_catalog.pg_opfamily o
              union all select c.tableoid, c.oid, c.collowner from pg_catalog.pg_collation c
              union all select c.tableoid, c.oid, c.conowner from pg_catalog.pg_conversion c
              union all select c.tableoid, c.oid, c.cfgowner from pg_catalog.pg_ts_config c
              union all select d.tableoid, d.oid, d.dictowner from pg_catalog.pg_ts_dict d
              union all select l.tableoid, l.oid, l.lanowner from pg_catalog.pg_language l
              union all select e.tableoid, e.oid, e.evtowner from pg_catalog.pg_event_trigger e
              union all select f.tableoid, f.oid, f.fdwowner from pg_catalog.pg_foreign_data_wrapper f
              union all select s.tableoid, s.oid, s.srvowner from pg_catalog.pg_foreign_server s
              union all select p.tableoid, p.oid, p.pubowner from pg_catalog.pg_publication p
              union all select c.tableoid, c.oid, null from pg_catalog.pg_cast c
              union all select t.tableoid, t.oid, null from pg_catalog.pg_transform t
              union all select a.tableoid, a.oid, null from pg_catalog.pg_am a)
      select not exists (
               select from made m
                 left join pg_catalog.pg_roles r on r.oid = m.owner
                where m.oid >= 16384
                  and not exists (
                        select from pg_catalog.pg_depend d
                         where d.classid = m.tableoid and d.objid = m.oid
                           and (d.deptype = 'i'
                                or d.deptype = 'e' and (m.owner is null or r.rolsuper))))
             and not exists (
               select from pg_catalog.pg_prepared_xacts p
                where p.database = pg_catalog.current_database()) as "pristine"`,
  );
  return pristine;
}
