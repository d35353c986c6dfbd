import { sql } from './sql.ts';

/** What every role may do unless somebody hardened the server, as `grant` names it. */
const ofCatalog = sql`
  select 'select on ' || o.name as what, pg_catalog.has_table_privilege(o.name, 'select') as may
    from (values ('pg_catalog.pg_auth_members'), ('pg_catalog.pg_available_extensions'),
                 ('pg_catalog.pg_available_extension_versions'), ('pg_catalog.pg_depend'),
                 ('pg_catalog.pg_prepared_xacts'), ('pg_catalog.pg_replication_slots'),
                 ('pg_catalog.pg_shdepend'), ('pg_catalog.pg_stat_activity')) as o (name)
   union all
  select 'select (' || c.name || ') on pg_catalog.pg_subscription',
         pg_catalog.has_column_privilege('pg_catalog.pg_subscription', c.name, 'select')
    from (values ('subname'), ('subdbid')) as c (name)
   union all
  select 'execute on function ' || f.name, pg_catalog.has_function_privilege(f.name, 'execute')
    from (values ('pg_catalog.pg_advisory_xact_lock(bigint)'), ('pg_catalog.pg_sleep(double precision)'),
                 ('pg_catalog.pg_terminate_backend(integer, bigint)')) as f (name)`;

/** An owner can take its own privileges away. Objects of others are handed over first, and their privileges with them. */
const ofRegistry = sql`
  select 'usage on schema pgtenancy', pg_catalog.has_schema_privilege(n.oid, 'usage')
    from pg_catalog.pg_namespace n
   where n.nspname = 'pgtenancy' and pg_catalog.pg_get_userbyid(n.nspowner) = current_user
   union all
  select pg_catalog.format('%s on pgtenancy.%I', p.name, c.relname), pg_catalog.has_table_privilege(c.oid, p.name)
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    cross join (values ('select'), ('insert'), ('update'), ('delete')) as p (name)
   where n.nspname = 'pgtenancy' and c.relkind in ('r', 'p')
     and pg_catalog.pg_get_userbyid(c.relowner) = current_user`;

/** Privileges that this session needs and has not, an array of text, e.g. "select on pgtenancy.tenant". */
export const deniedPrivileges = sql`array(
  select n.what from (${ofCatalog} union all ${ofRegistry}) n where not n.may order by n.what)`;
