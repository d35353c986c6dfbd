import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { busyAgain, sqlState, translated } from './errors.ts';
import type { FoundRole } from './found-objects.ts';
import { managerOf, requireManaged } from './manager.ts';
import { sql } from './sql.ts';
import { lockTenant } from './tenant-transaction.ts';
import { inTransaction } from './transaction.ts';

/** The first version in which a membership has options; before it, it always lets inherit and switch. */
const options = 16;

/**
 * Gives the management role the rights of a tenant's role, by a membership that it grants itself: it may create, alter
 * and drop no database of others without. A superuser needs none and becomes no member. True when it was granted.
 * Throws `RightsMissing`.
 */
export async function takeRights(connection: Connection, role: FoundRole): Promise<boolean> {
  const { superuser } = await requireManaged(connection, role);
  if (superuser) return false;
  const how =
    connection.serverMajor >= options ? sql` with inherit true, set true granted by current_user` : sql``;
  await connection.run(sql`grant ${sql.id(role.name)} to current_user${how}`);
  return true;
}

/** Runs work with the rights of the role, which nobody else ever sees us have: both ends are in one transaction. */
export async function withRightsOf<T>(
  connection: Connection,
  role: FoundRole,
  work: () => Promise<T>,
): Promise<T> {
  await takeRights(connection, role);
  const result = await work();
  await revokeSelfGrant(connection, role);
  return result;
}

/** Runs work with the rights of any role, if the management role has them or may take them; false: it may not. */
export async function inNameOf(
  connection: Connection,
  role: FoundRole,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const { superuser, inherits, administers, outranked, circular } = await managerOf(connection, role);
  if (superuser || inherits) await work();
  else if (administers && !outranked && !circular) await withRightsOf(connection, role, work);
  else return false;
  return true;
}

/**
 * Takes back a membership in the tenant's role that the management role granted itself. Standing memberships make
 * every later role change slower, and the tenant's rights would stay ours. The ADMIN row that PostgreSQL 16 and newer
 * give to a role's creator is granted by the bootstrap superuser and stays: the grantor is named, because a superuser
 * would revoke in that one's name otherwise. Of a role that became a superuser only a superuser can take it.
 */
export async function revokeSelfGrant(connection: Connection, role: FoundRole): Promise<void> {
  const grants = await connection.rows(
    z.object({}),
    sql`
      select from pg_catalog.pg_auth_members m
        join pg_catalog.pg_roles me on me.oid = m.member and me.oid = m.grantor
        join pg_catalog.pg_roles r on r.oid = m.roleid
       where r.oid = ${role.oid}::oid and me.rolname = current_user and (me.rolsuper or not r.rolsuper)`,
  );
  if (grants.length === 0) return;
  await connection.run(sql`revoke ${sql.id(role.name)} from current_user granted by current_user`);
}

/**
 * Takes back what was granted for a statement that no transaction can hold, whatever became of the statement. A failure
 * is left to the next observation, which sees the grant, as after a crash.
 */
export async function returnRights(
  connection: Connection,
  tenant: TenantHandle,
  role: FoundRole,
): Promise<void> {
  try {
    await inTransaction(connection, async () => {
      await lockTenant(connection, tenant);
      await revokeSelfGrant(connection, role);
    });
  } catch (error) {
    connection.destroy();
    if (!(translated(error) instanceof Trouble)) throw error;
  }
}

/**
 * `Busy` for a right (42501) that was there a moment ago, anything else as it is: another replica, whose own attempt had
 * failed, took the membership back.
 */
export const asTakenBack = (error: unknown): unknown =>
  sqlState(error) === '42501'
    ? new Trouble('Busy', 'the rights for the statement were taken back in between', busyAgain)
    : error;
