import { requireOwnersRights } from './manager.ts';
import type { OwnObjects } from './ownership.ts';
import { withRightsOf } from './self-grant.ts';
import type { TenantChange } from './tenant-transaction.ts';

/**
 * Runs work on a tenant's role and database with the rights of the role. A database that does not belong to it, or whose
 * role is gone, is somebody else's by now. Throws `RightsMissing`.
 */
export async function asOwner(
  { connection }: TenantChange,
  { role, database }: OwnObjects,
  work: () => Promise<void>,
): Promise<void> {
  if (database !== undefined && database.ownerOid !== role?.oid) {
    await requireOwnersRights(connection, database, role);
  }
  if (role === undefined) await work();
  else await withRightsOf(connection, role, work);
}
