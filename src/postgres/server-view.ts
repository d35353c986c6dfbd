import { X509Certificate } from 'node:crypto';

import { z } from 'zod';

import type { ServerView } from '../domain/server.ts';
import type { ServerTarget } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { mostNames } from './bounded-list.ts';
import { deniedPrivileges } from './denied-privileges.ts';
import { sql } from './sql.ts';

const serverRow = z.object({
  versionNumber: z.int(),
  version: z.string(),
  inRecovery: z.boolean(),
  template: z.object({ encoding: z.string(), locale: z.string() }).nullable(),
  backendPid: z.int(),
  currentUser: z.string(),
  superuser: z.boolean(),
  createDb: z.boolean(),
  createRole: z.boolean(),
  inherits: z.boolean(),
  managementDatabase: z.object({ name: z.string(), create: z.boolean() }),
  registry: z.object({ exists: z.boolean(), foreign: z.array(z.string()) }),
  denied: z.array(z.string()),
  readsRegistry: z.boolean(),
});

const databaseName = z.object({ name: z.string() });

/** Schema and tables of the registry that belong to others, as `alter ... owner to` takes them. */
const foreignRegistry = sql`array(
  select o.what
    from (select 'schema pgtenancy' as what, n.nspowner as owner
            from pg_catalog.pg_namespace n
           where n.nspname = 'pgtenancy'
           union all
          select pg_catalog.format('table pgtenancy.%I', c.relname), c.relowner
            from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
           where n.nspname = 'pgtenancy' and c.relkind in ('r', 'p')) o
   where pg_catalog.pg_get_userbyid(o.owner) <> current_user
   order by o.what limit ${mostNames})`;

/** What this session shows about the server behind it. */
export async function readServerView(connection: Connection, target: ServerTarget): Promise<ServerView> {
  const { backendPid, readsRegistry, ...server } = await connection.row(
    serverRow,
    sql`
      select pg_catalog.current_setting('server_version_num')::integer as "versionNumber",
             pg_catalog.split_part(pg_catalog.current_setting('server_version'), ' ', 1) as "version",
             pg_catalog.pg_is_in_recovery() as "inRecovery",
             (select jsonb_build_object(
                       'encoding', pg_catalog.pg_encoding_to_char(d.encoding),
                       'locale', case when d.datctype in ('C', 'POSIX') then d.datcollate else d.datctype end)
                from pg_catalog.pg_database d where d.datname = 'template0') as "template",
             pg_catalog.pg_backend_pid() as "backendPid",
             r.rolname as "currentUser",
             r.rolsuper as "superuser",
             r.rolcreatedb as "createDb",
             r.rolcreaterole as "createRole",
             r.rolinherit as "inherits",
             jsonb_build_object(
               'name', pg_catalog.current_database(),
               'create', pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
             ) as "managementDatabase",
             jsonb_build_object(
               'exists', exists (select from pg_catalog.pg_namespace n where n.nspname = 'pgtenancy'),
               'foreign', ${foreignRegistry}) as "registry",
             ${deniedPrivileges} as "denied",
             exists (
               select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                where n.nspname = 'pgtenancy' and c.relname = 'tenant'
                  and pg_catalog.has_schema_privilege(n.oid, 'usage')
                  and pg_catalog.has_table_privilege(c.oid, 'select')
                  and 2 = (select count(*) from pg_catalog.pg_attribute a
                            where a.attrelid = c.oid and a.attname in ('database_oid', 'role_oid'))) as "readsRegistry"
        from pg_catalog.pg_roles r
       where r.rolname = current_user`,
  );
  return {
    ...server,
    systemIdentifier: await connection.systemIdentifier(),
    pooled: connection.announcedPid !== backendPid,
    certificate: certificateCover(connection.certificate, target),
    publicConnect: await publicConnect(connection, readsRegistry),
  };
}

/**
 * Only SANs count: consumers may check the host by either name, and many clients do not look at the common name.
 * Modes that do not promise a verified name ask nothing of the certificate.
 */
function certificateCover(der: Buffer | undefined, target: ServerTarget): ServerView['certificate'] {
  if (target.tls.mode !== 'verify-full') return { coversHost: true, coversAddress: true };
  if (der === undefined) return { coversHost: false, coversAddress: false };
  const certificate = new X509Certificate(der);
  const { host, hostAddress } = target;
  return {
    coversHost: certificate.checkHost(host, { subject: 'never' }) !== undefined,
    coversAddress: hostAddress === undefined || certificate.checkIP(hostAddress) !== undefined,
  };
}

/** The first few databases around the tenants' that let everybody in; a tenant's own is judged by its own reads. */
async function publicConnect(connection: Connection, readsRegistry: boolean): Promise<string[]> {
  const ours = readsRegistry
    ? sql`exists (select from pgtenancy.tenant t where t.database_oid = d.oid or t.role_oid = d.datdba)`
    : sql`false`;
  const rows = await connection.rows(
    databaseName,
    sql`
      select d.datname as name
        from pg_catalog.pg_database d
       where d.datallowconn
         and d.datname <> 'template0'
         and not ${ours}
         and exists (
               select from pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
                where a.grantee = 0 and a.privilege_type = 'CONNECT')
       order by d.datname limit ${mostNames}`,
  );
  return rows.map(({ name }) => name);
}
