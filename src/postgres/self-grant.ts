import { z } from 'zod';

import type { Connection } from './connection.ts';
import type { FoundRole } from './found-objects.ts';
import { sql } from './sql.ts';

/**
 * Takes back a membership in the tenant's role that the management role granted itself. Standing memberships make
 * every later role change slower, and the tenant's rights would stay ours. The ADMIN row that PostgreSQL 16 and newer
 * give to a role's creator is granted by the bootstrap superuser and stays.
 */
export async function revokeSelfGrant(connection: Connection, role: FoundRole): Promise<void> {
  const grants = await connection.rows(
    z.object({}),
    sql`
      select from pg_catalog.pg_auth_members m
        join pg_catalog.pg_roles me on me.oid = m.member and me.oid = m.grantor
       where m.roleid = ${role.oid}::oid and me.rolname = current_user`,
  );
  if (grants.length > 0) await connection.run(sql`revoke ${sql.id(role.name)} from current_user`);
}
