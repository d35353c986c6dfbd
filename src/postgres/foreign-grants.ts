import { z } from 'zod';

import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { FoundRole } from './found-objects.ts';
import { inNameOf } from './self-grant.ts';
import { sql } from './sql.ts';
import { asLockHeld } from './tenant-transaction.ts';

const grantShape = z.object({
  database: z.string(),
  grantee: z.string(),
  owner: z.object({ oid: z.string(), name: z.string() }),
});
type Grant = z.infer<typeof grantShape>;

const revoked = { all: sql`all`, 'grant option for all': sql`grant option for all` };
type Revoked = keyof typeof revoked;

/**
 * Revokes what was granted to a role on databases: anybody can grant on a database of his own, and it would keep the
 * role from being dropped. A revoke takes back only what the owner gave. What somebody else handed on falls with the
 * option to grant that he has from the owner. Throws `DeletionBlocked` for the database of somebody in whose name the
 * management role may not revoke.
 */
export async function revokeForeignGrants(connection: Connection, role: FoundRole): Promise<void> {
  for (const grant of await firstGrants(connection, role)) {
    const what: Revoked = grant.grantee === role.name ? 'all' : 'grant option for all';
    // Without the owner's rights the server would only warn and revoke nothing.
    if (await inNameOf(connection, grant.owner, () => revoke(connection, grant, what))) continue;
    const { database, grantee, owner } = grant;
    throw new Trouble(
      'DeletionBlocked',
      `role "${grantee}" was given rights on database "${database}" of "${owner.name}"; a superuser runs: revoke ${what} on database ${sqlName(database)} from ${sqlName(grantee)} cascade`,
    );
  }
}

/** The lock that it may wait for is of that database, which is not the tenant's. */
async function revoke(connection: Connection, { database, grantee }: Grant, what: Revoked): Promise<void> {
  const from = sql.id(grantee);
  try {
    await connection.run(sql`revoke ${revoked[what]} on database ${sql.id(database)} from ${from} cascade`);
  } catch (error) {
    throw asLockHeld(error, `database "${database}", on which "${grantee}" was given rights`);
  }
}

/** Whom the owners gave what came to the role in the end: itself, or somebody who handed it on. */
const firstGrants = (connection: Connection, role: FoundRole) =>
  connection.rows(
    grantShape,
    sql`
      with recursive granted as (
             select d.oid, d.datname, d.datdba, a.grantor, a.grantee
               from pg_catalog.pg_database d, pg_catalog.aclexplode(d.datacl) a),
           chain as (
             select g.* from granted g where g.grantee = ${role.oid}::oid
              union
             select g.*
               from chain c
               join granted g on g.oid = c.oid and g.grantee = c.grantor
              where c.grantor <> c.datdba)
      select c.datname::text as database, pg_catalog.pg_get_userbyid(c.grantee)::text as grantee,
             jsonb_build_object('oid', c.datdba::text, 'name', pg_catalog.pg_get_userbyid(c.datdba)) as owner
        from chain c
       where c.grantor = c.datdba
       group by c.datname, c.grantee, c.datdba
       order by database, grantee`,
  );
