import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { asOwner } from './as-owner.ts';
import { shareInstance } from './claim.ts';
import { withTranslation } from './errors.ts';
import { isBroken, type FoundDatabase } from './found-objects.ts';
import { ownObjects, type OwnObjects } from './ownership.ts';
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

/** Marks the row Retained: its names stay reserved, and it registers the database that is kept. */
export const retain = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, mark);

/**
 * Undoes what a deletion had closed, and marks the row in the same transaction. What was dropped stays dropped.
 * Throws `DatabaseRenamed`, `Conflict`, `RightsMissing`.
 */
export const reopenRetained = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const own = await ownObjects(change);
    await asOwner(change, own, () => reopen(change, own));
    await mark(change);
  });

async function reopen(change: TenantChange, { role, database }: OwnObjects): Promise<void> {
  if (database !== undefined && !isBroken(database)) await reopenDatabase(change, database);
  if (role !== undefined) await change.connection.run(sql`alter role ${sql.id(role.name)} login`);
}

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

/**
 * A database that was created and never opened is in no row yet: without its OID nobody could tell later whose it is. The
 * time is that of the newest mark, so that a step of a deletion that was decided before it is refused.
 */
async function mark({ connection, tenant }: TenantChange): Promise<void> {
  await connection.run(sql`
    update pgtenancy.tenant t
       set state = 'Retained', retained_at = pg_catalog.clock_timestamp(),
           database_oid = coalesce(
             (select d.oid from pg_catalog.pg_database d where d.oid = t.database_oid),
             (select d.oid from pg_catalog.pg_database d
               where d.datname = t.database_name::name and d.datdba = t.role_oid),
             t.database_oid)
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
