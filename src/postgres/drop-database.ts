import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { sqlRoutine, sqlState } from './errors.ts';
import { databaseNamed, type FoundRole } from './found-objects.ts';
import type { LongStatements } from './long-statements.ts';
import { requireOwnersRights } from './manager.ts';
import { ownRole, refuseOtherOwner } from './ownership.ts';
import { asTakenBack, returnRights, takeRights } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { asBlocked } from './teardown.ts';
import { changeTenantOn, refuseRetained, type TenantChange } from './tenant-transaction.ts';
import { tombstoneName } from './tombstone-name.ts';

/** `drop database ... with (force)` under the tombstone name, if that is the registered database. */
export const dropDatabase = (
  server: ServerContext,
  long: LongStatements,
  tenant: TenantHandle,
): Promise<void> =>
  long.run(server, 'drop', tenant, async (connection) => {
    const name = tombstoneName(tenant.tenantUid);
    const buried = await changeTenantOn(connection, server, tenant, (change) =>
      verifyTombstone(change, name),
    );
    if (buried === undefined) return;
    try {
      await sendDrop(connection, name);
    } catch (error) {
      throw asBlocked(asTakenBack(error), name);
    } finally {
      if (buried.grantedBy !== undefined) await returnRights(connection, tenant, buried.grantedBy);
    }
  });

/**
 * FORCE fails as a whole where one session is not the management role's to end, be it a worker of autovacuum. Nobody
 * gets in any more, and without FORCE the server ends such workers itself.
 */
async function sendDrop(connection: Connection, name: string): Promise<void> {
  try {
    await connection.run(sql`drop database if exists ${sql.id(name)} with (force)`);
  } catch (error) {
    if (sqlState(error) !== '42501' || sqlRoutine(error) !== 'TerminateOtherDBBackends') throw error;
    await connection.run(sql`drop database if exists ${sql.id(name)}`);
  }
}

interface Buried {
  /** The role whose rights were taken, and committed, for the drop that follows; undefined: none were needed. */
  readonly grantedBy: FoundRole | undefined;
}

/** Undefined when there is nothing to drop. */
async function verifyTombstone(change: TenantChange, name: string): Promise<Buried | undefined> {
  const { connection, row } = change;
  refuseRetained(row);
  const found = await databaseNamed(connection, name);
  if (found === undefined) return undefined;
  if (found.oid !== row.databaseOid) {
    throw new Trouble('Conflict', `database "${name}" exists and is not the registered one`);
  }
  const role = await ownRole(change);
  refuseOtherOwner(found, role);
  if (role === undefined) {
    await requireOwnersRights(connection, found);
    return { grantedBy: undefined };
  }
  return { grantedBy: (await takeRights(connection, role)) ? role : undefined };
}
