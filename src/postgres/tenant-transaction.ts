import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { sqlState, withTranslation } from './errors.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { inTransaction } from './transaction.ts';

const lockedRow = z.object({
  installation: z.string(),
  instanceUid: z.string(),
  databaseName: z.string(),
  roleName: z.string(),
  roleOid: z.string().nullable(),
  databaseOid: z.string().nullable(),
  /** Marked Retained after the observation, or so shortly before it that the mark may not have been seen. */
  retainedSince: z.boolean(),
});

/** The tenant's registry row as it is under its lock. */
export type LockedRow = z.infer<typeof lockedRow>;

/** An open transaction that holds the lock of a tenant's row. */
export interface TenantChange {
  readonly connection: Connection;
  readonly tenant: TenantHandle;
  readonly row: LockedRow;
}

const stale = (message: string) => new Trouble('StaleDecision', message);

/**
 * Runs one write step on a pooled session: the tenant's row is locked first and must be what the handle says. Row and
 * catalog change together or not at all. Throws `StaleDecision`, `InstanceChanged`, `Busy` while the row is locked
 * elsewhere, `LockHeld` while role or database are.
 */
export const changeTenant = <T>(
  server: ServerContext,
  tenant: TenantHandle,
  work: (change: TenantChange) => Promise<T>,
): Promise<T> =>
  withTranslation(() =>
    server.backends.lend((connection) => changeTenantOn(connection, server, tenant, work)),
  );

/** The same on a given session. Errors of the server are pg's own. */
export const changeTenantOn = <T>(
  connection: Connection,
  server: ServerContext,
  tenant: TenantHandle,
  work: (change: TenantChange) => Promise<T>,
): Promise<T> =>
  inTransaction(connection, async () => {
    const row = await lockTenant(connection, tenant);
    if (row === undefined) throw stale('the registry has no row of this Tenant any more');
    await refuseOldDecision(connection, tenant, server.limits.decisionMs);
    if (row.instanceUid !== server.target.instanceUid || row.installation !== server.target.installation) {
      throw new Trouble('InstanceChanged', 'the registry row belongs to another Instance or installation');
    }
    refuseOtherRow(row, tenant);
    return await withShortLocks({ connection, tenant, row }, server.limits.objectLockMs, work);
  });

/**
 * A tenant can hold the locks of its own role and database, in a session that it leaves open. That is not `Busy`: it may
 * last, so somebody must be told, and it must not hold a backend and a worker for long.
 */
async function withShortLocks<T>(
  change: TenantChange,
  limitMs: number,
  work: (change: TenantChange) => Promise<T>,
): Promise<T> {
  await change.connection.run(sql`set local lock_timeout = ${sql.integer(limitMs)}`);
  try {
    return await work(change);
  } catch (error) {
    const { roleName, databaseName } = change.row;
    throw asLockHeld(error, `role "${roleName}" or database "${databaseName}"`);
  }
}

/** `LockHeld` for a lock timeout (55P03) of a statement on the object that is named, anything else as it is. */
export function asLockHeld(error: unknown, what: string): unknown {
  if (sqlState(error) !== '55P03') return error;
  return new Trouble(
    'LockHeld',
    `a session holds a lock on ${what}, in a transaction that it left open; wait, or have a database administrator find it in pg_stat_activity and end it`,
  );
}

/** Locks the tenant's row and reads it; undefined when there is none. */
export async function lockTenant(
  connection: Connection,
  tenant: TenantHandle,
): Promise<LockedRow | undefined> {
  const [row] = await connection.rows(
    lockedRow,
    sql`
      select t.installation, t.instance_uid as "instanceUid", t.database_name as "databaseName",
             t.role_name as "roleName", t.role_oid::text as "roleOid", t.database_oid::text as "databaseOid",
             coalesce(t.retained_at > ${tenant.observedAt}::timestamptz - interval '10 seconds', false) as "retainedSince"
        from pgtenancy.tenant t
       where t.tenant_uid = ${tenant.tenantUid}::uuid
         for update`,
  );
  return row;
}

/**
 * The age by the server's own clock, read in a statement of its own: after the wait for the lock, which counts too. A
 * slightly negative age is a clock that was set; a large one means that another server made the observation.
 */
export async function refuseOldDecision(
  connection: Connection,
  tenant: TenantHandle,
  limitMs: number,
): Promise<void> {
  const { ageMs } = await connection.row(
    z.object({ ageMs: z.number() }),
    sql`
      select (1000 * extract(epoch from pg_catalog.clock_timestamp() - ${tenant.observedAt}::timestamptz))::float8
             as "ageMs"`,
  );
  if (ageMs < -1_000 || ageMs > limitMs) throw stale('the observation behind this step is too old');
}

export function refuseOtherRow(row: LockedRow, tenant: TenantHandle): void {
  const same =
    row.databaseName === tenant.databaseName &&
    row.roleName === tenant.roleName &&
    row.roleOid === tenant.roleOid &&
    row.databaseOid === tenant.databaseOid;
  if (!same) throw stale('the registry row changed since it was observed');
}

/** What was marked as kept must not be taken away by a step that was decided without knowing of the mark. */
export function refuseRetained(row: LockedRow): void {
  if (row.retainedSince) throw stale('the registry row was marked Retained a moment ago');
}
