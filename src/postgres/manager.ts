import { z } from 'zod';

import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { FoundDatabase, FoundRole } from './found-objects.ts';
import { sql } from './sql.ts';

const managerShape = z.object({
  /** `current_user`: the management login, or the adminRole that it switched to. */
  name: z.string(),
  superuser: z.boolean(),
  /** May change the role and grant memberships in it. */
  administers: z.boolean(),
  /** Has the role's rights already. */
  inherits: z.boolean(),
  /** The role is a superuser. */
  outranked: z.boolean(),
  /** The role is a member of the management role, which can then not become one of it. */
  circular: z.boolean(),
});

/** What the management role may do with another role. */
export type Manager = z.infer<typeof managerShape>;

/**
 * Before version 16 CREATEROLE is enough for every role that is no superuser; since then it takes ADMIN on the role,
 * which its creator is given. ADMIN that is only inherited does not count: a grant would be made in the name of the role
 * that it comes from, and could be neither told from others nor taken back.
 */
export const managerOf = (connection: Connection, role: FoundRole): Promise<Manager> =>
  connection.row(
    managerShape,
    sql`
      select me.rolname::text as name, me.rolsuper as superuser, r.rolsuper as outranked,
             case when pg_catalog.current_setting('server_version_num')::integer >= 160000
                  then exists (
                         select from pg_catalog.pg_auth_members m
                          where m.roleid = r.oid and m.member = me.oid and m.admin_option)
                  else me.rolcreaterole end as administers,
             pg_catalog.pg_has_role(r.oid, 'usage') as inherits,
             pg_catalog.pg_has_role(r.oid, me.oid, 'member') as circular
        from pg_catalog.pg_roles me, pg_catalog.pg_roles r
       where me.rolname = current_user and r.oid = ${role.oid}::oid`,
  );

/** Asked before a change, because the server's own refusal says nothing of what to do. Throws `RightsMissing`. */
export async function requireManaged(connection: Connection, role: FoundRole): Promise<Manager> {
  const manager = await managerOf(connection, role);
  if (manager.superuser) return manager;
  if (manager.outranked) {
    throw new Trouble(
      'RightsMissing',
      `role "${role.name}" is a superuser, which only a superuser can change; a superuser runs: alter role ${sqlName(role.name)} nosuperuser`,
    );
  }
  if (manager.circular) {
    throw new Trouble(
      'RightsMissing',
      `role "${role.name}" has the rights of management role "${manager.name}"; a superuser takes them away: revoke ${sqlName(manager.name)} from ${sqlName(role.name)}`,
    );
  }
  if (!manager.administers) {
    throw new Trouble(
      'RightsMissing',
      `management role "${manager.name}" did not create role "${role.name}" and has no ADMIN option of its own on it; name the role that did in spec.adminRole, or a superuser runs: grant ${sqlName(role.name)} to ${sqlName(manager.name)} with admin option`,
    );
  }
  return manager;
}

/**
 * A database that does not belong to the tenant's role is somebody else's to alter. `rightful`: whose it should be, the
 * management role where that one is gone. Throws `RightsMissing`.
 */
export async function requireOwnersRights(
  connection: Connection,
  database: FoundDatabase,
  rightful?: FoundRole,
): Promise<void> {
  const { name, may } = await connection.row(
    z.object({ name: z.string(), may: z.boolean() }),
    sql`
      select current_user::text as name, pg_catalog.pg_has_role(${database.ownerOid}::oid, 'usage') as may`,
  );
  if (may) return;
  throw new Trouble(
    'RightsMissing',
    `database "${database.name}" belongs to "${database.ownerName}", so management role "${name}" may not change it; a superuser runs: alter database ${sqlName(database.name)} owner to ${sqlName(rightful?.name ?? name)}`,
  );
}
