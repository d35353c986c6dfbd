import type { TenantCatalog } from '../domain/catalog.ts';
import type { TenantQuery } from '../reconcile/ports.ts';
import { tenantCatalogRow } from './catalog-shapes.ts';
import type { Connection } from './connection.ts';
import { metaRowLost } from './registry-presence.ts';
import { sql, type Sql } from './sql.ts';
import { knownSystem } from './system-identifier.ts';
import { statementMarker, tombstoneName } from './tombstone-name.ts';

const registryRow = sql`jsonb_build_object(
  'tenantUid', t.tenant_uid, 'installation', t.installation, 'instanceUid', t.instance_uid,
  'namespace', t.namespace, 'name', t.name, 'databaseName', t.database_name, 'roleName', t.role_name,
  'roleOid', t.role_oid::text, 'databaseOid', t.database_oid::text, 'state', t.state)`;

/**
 * A self-grant is a membership of ours that we granted ourselves; the ADMIN row that PostgreSQL 16 and newer give to a
 * role's creator has the bootstrap superuser as its grantor and stays.
 */
const role = (condition: Sql) => sql`(
  select jsonb_build_object(
           'oid', r.oid::text, 'name', r.rolname, 'canLogin', r.rolcanlogin, 'inherit', r.rolinherit,
           'superuser', r.rolsuper, 'createDb', r.rolcreatedb, 'createRole', r.rolcreaterole,
           'replication', r.rolreplication, 'bypassRls', r.rolbypassrls, 'connectionLimit', r.rolconnlimit,
           'expires', coalesce(r.rolvaliduntil <> 'infinity', false),
           'selfGranted', exists (
             select from pg_catalog.pg_auth_members m
              where m.roleid = r.oid and m.member = me.oid and m.grantor = me.oid))
    from pg_catalog.pg_roles r
   where ${condition})`;

/** A null ACL means the default, in which PUBLIC may connect and make temporary tables. */
const publicMay = (privilege: string) => sql`exists (
  select from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
   where a.grantee = 0 and a.privilege_type = ${privilege})`;

const database = (condition: Sql) => sql`(
  select jsonb_build_object(
           'oid', d.oid::text, 'name', d.datname, 'ownerOid', d.datdba::text,
           'ownerName', pg_catalog.pg_get_userbyid(d.datdba), 'allowConnections', d.datallowconn,
           'isTemplate', d.datistemplate, 'connectionLimit', d.datconnlimit,
           'publicConnect', ${publicMay('CONNECT')}, 'publicTemporary', ${publicMay('TEMPORARY')})
    from pg_catalog.pg_database d
   where ${condition})`;

/**
 * Reads what server and registry say about any number of tenants, in one statement and in the order of `ready`, which
 * is called when nothing but sending is left to do. The time of observation is the statement's start: before its
 * snapshot, so nothing in the answer is older than it claims to be. Throws `RegistryMissing`, also without the meta row.
 */
export async function readTenants(
  connection: Connection,
  ready: () => readonly TenantQuery[],
): Promise<TenantCatalog[]> {
  const systemIdentifier = await connection.systemIdentifier();
  const rows = await connection.rows(tenantCatalogRow, tenantStatement(ready()));
  return rows.map(({ registeredSystemIdentifier: registered, ...row }) => {
    if (registered === null) throw metaRowLost();
    // Where none was registered, whatever answers is as good: nothing contradicts it.
    return {
      ...row,
      systemIdentifier,
      registeredSystemIdentifier: knownSystem(registered) ?? systemIdentifier ?? '',
    };
  });
}

/**
 * Sessions that create or drop a tenant's database. Anybody can give a session that name, and UIDs are in comments that
 * all may read: only our own login counts, and with an adminRole the other logins that act for it (a rotated one). Names
 * of sessions are shown to everybody, their state only to the same role: to an adminRole an idle one looks busy, until
 * `idle_session_timeout` ends it.
 */
const activity = sql`
  select a.application_name as marker
    from pg_catalog.pg_stat_activity a
   where a.application_name like 'pgtenancy %' and a.state is distinct from 'idle'
     and (a.usesysid = (select s.oid from pg_catalog.pg_roles s where s.rolname = session_user)
          or (session_user <> current_user and pg_catalog.pg_has_role(a.usesysid, current_user, 'member')))`;

function tenantStatement(queries: readonly TenantQuery[]): Sql {
  const uids = queries.map(({ tenantUid }) => tenantUid);
  return sql`
    with me as materialized (
           select r.oid, jsonb_build_object(
                    'superuser', r.rolsuper,
                    'entersDatabases', r.rolsuper and exists (
                      select from pg_catalog.pg_roles s where s.rolname = session_user and s.rolsuper)) as manager
             from pg_catalog.pg_roles r
            where r.rolname = current_user),
         activity as materialized (${activity}),
         wished as (
           select *
             from unnest(
                    ${uids}::uuid[],
                    ${queries.map(({ databaseName }) => databaseName)}::text[],
                    ${queries.map(({ roleName }) => roleName)}::text[],
                    ${uids.map(tombstoneName)}::name[],
                    ${uids.map((uid) => statementMarker('create', uid))}::text[],
                    ${uids.map((uid) => statementMarker('drop', uid))}::text[])
                  with ordinality
                  as w (tenant_uid, database_name, role_name, tombstone, creating, dropping, position)),
         query as (
           select w.position, w.tenant_uid, w.tombstone, w.creating, w.dropping, t.role_oid, t.database_oid,
                  coalesce(t.database_name, w.database_name) as database_name,
                  coalesce(t.role_name, w.role_name) as role_name,
                  case when t.tenant_uid is not null then ${registryRow} end as found
             from wished w
             left join pgtenancy.tenant t on t.tenant_uid = w.tenant_uid)
    select statement_timestamp()::text as "observedAt",
           (select m.system_identifier from pgtenancy.meta m) as "registeredSystemIdentifier",
           q.found as "row",
           (select coalesce(jsonb_agg(${registryRow} order by t.tenant_uid), '[]')
              from pgtenancy.tenant t
             where t.tenant_uid <> q.tenant_uid
               and (t.database_name = q.database_name or t.role_name = q.role_name)) as "holders",
           jsonb_build_object(
             'registered', ${role(sql`r.oid = q.role_oid`)},
             'named', ${role(sql`r.rolname = q.role_name::name`)}) as "role",
           jsonb_build_object(
             'registered', ${database(sql`d.oid = q.database_oid`)},
             'named', ${database(sql`d.datname = q.database_name::name`)},
             'tombstone', ${database(sql`d.datname = q.tombstone`)}) as "database",
           case when exists (select from activity a where a.marker = q.creating) then 'create'
                when exists (select from activity a where a.marker = q.dropping) then 'drop' end as "inFlight",
           me.manager
      from query q cross join me
     order by q.position`;
}
