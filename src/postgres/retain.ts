import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { shareInstance } from './claim.ts';
import { withTranslation } from './errors.ts';
import { isBroken, type FoundDatabase } from './found-objects.ts';
import { ownObjects } from './ownership.ts';
import type { ServerContext } from './server-context.ts';
import { shutPublicOut } from './shut-public-out.ts';
import { sql } from './sql.ts';
import {
  changeTenant,
  lockTenant,
  refuseOldDecision,
  refuseOtherRow,
  type TenantChange,
} from './tenant-transaction.ts';
import { inTransaction } from './transaction.ts';
import { tombstoneName } from './tombstone-name.ts';

/** Marks the row Retained: its names stay reserved. */
export const retain = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, mark);

/**
 * Undoes what a deletion had closed, and marks the row in the same transaction. What was dropped stays dropped.
 * Throws `DatabaseRenamed`, `Conflict`.
 */
export const reopenRetained = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { role, database } = await ownObjects(change);
    if (database !== undefined && !isBroken(database)) await reopenDatabase(change, database);
    if (role !== undefined) await change.connection.run(sql`alter role ${sql.id(role.name)} login`);
    await mark(change);
  });

/** It may be one that was never opened before, so PUBLIC is shut out here too. */
async function reopenDatabase(
  { connection, row, tenant }: TenantChange,
  database: FoundDatabase,
): Promise<void> {
  const buried = database.name === tombstoneName(tenant.tenantUid);
  const name = buried ? row.databaseName : database.name;
  if (buried) {
    await connection.run(sql`alter database ${sql.id(database.name)} rename to ${sql.id(name)}`);
  }
  await shutPublicOut(connection, { ...database, name });
  await connection.run(sql`alter database ${sql.id(name)} with allow_connections true`);
}

async function mark({ connection, tenant }: TenantChange): Promise<void> {
  await connection.run(sql`
    update pgtenancy.tenant t
       set state = 'Retained', retained_at = coalesce(t.retained_at, pg_catalog.clock_timestamp())
     where t.tenant_uid = ${tenant.tenantUid}::uuid`);
}

/** Moves the row to this target's Instance, within one installation. Throws `StaleDecision`, `InstanceChanged`. */
export const moveToInstance = (server: ServerContext, tenant: TenantHandle, from: string): Promise<void> =>
  withTranslation(() =>
    server.backends.lend((connection) =>
      inTransaction(connection, async () => {
        const { instanceUid, installation } = server.target;
        await shareInstance(connection, server.target);
        const row = await lockTenant(connection, tenant);
        if (row === undefined) throw new Trouble('StaleDecision', 'the registry has no row of this Tenant');
        await refuseOldDecision(connection, tenant, server.limits.decisionMs);
        refuseOtherRow(row, tenant);
        if (row.installation !== installation) {
          throw new Trouble('InstanceChanged', `the row belongs to installation ${row.installation}`);
        }
        if (row.instanceUid !== from && row.instanceUid !== instanceUid) {
          throw new Trouble(
            'StaleDecision',
            'the row belongs to yet another Instance than the one that was confirmed',
          );
        }
        await connection.run(sql`
          update pgtenancy.tenant t set instance_uid = ${instanceUid}::uuid
           where t.tenant_uid = ${tenant.tenantUid}::uuid`);
      }),
    ),
  );
