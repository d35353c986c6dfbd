import { sqlName } from '../domain/sql-name.ts';
import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import { withCount } from './bounded-list.ts';
import { readDependencies } from './dependencies.ts';
import { withTranslation } from './errors.ts';
import { revokeForeignGrants } from './foreign-grants.ts';
import { databaseNamed } from './found-objects.ts';
import { ownObjects } from './ownership.ts';
import { takeRights } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { changeTenant, refuseRetained } from './tenant-transaction.ts';
import { terminateSessions } from './terminate-sessions.ts';
import { tombstoneName } from './tombstone-name.ts';

/**
 * Drops the role of the registered OID and what others granted it on databases; the row forgets role and database. A
 * self-grant goes with the role. Throws `DeletionBlocked` with what depends on it, `StaleDecision` while the database
 * exists.
 */
export const dropRole = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await ownObjects(change);
    if (database !== undefined) throw databaseRemains();
    if (role !== undefined) {
      const dependencies = await readDependencies(connection, role.oid, null);
      if (dependencies.count > 0) {
        const shown = withCount(dependencies, 5).join('; ');
        throw new Trouble(
          'DeletionBlocked',
          `role "${role.name}" still has ${shown}; a database administrator runs there: drop owned by ${sqlName(role.name)}`,
        );
      }
      await takeRights(connection, role);
      // A session does not block the drop; it would live on as a role that does not exist.
      await terminateSessions(connection, { databaseOid: null, roleOid: role.oid });
      await revokeForeignGrants(connection, role);
      await connection.run(sql`drop role ${sql.id(role.name)}`);
    }
    await connection.run(sql`
      update pgtenancy.tenant t set role_oid = null, database_oid = null
       where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });

/** Deletes the row, only while role and database are seen to be gone under its lock. A row that is gone is fine. */
export async function release(server: ServerContext, tenant: TenantHandle): Promise<void> {
  if (await isReleased(server, tenant)) return;
  await changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    const { role, database } = await ownObjects(change);
    const buried = await databaseNamed(connection, tombstoneName(tenant.tenantUid));
    if (buried !== undefined || database !== undefined) throw databaseRemains();
    if (role !== undefined) {
      throw new Trouble('StaleDecision', 'the role still exists');
    }
    await connection.run(sql`delete from pgtenancy.tenant t where t.tenant_uid = ${tenant.tenantUid}::uuid`);
  });
}

const isReleased = (server: ServerContext, tenant: TenantHandle): Promise<boolean> =>
  withTranslation(() =>
    server.backends.lend(async (connection) => {
      const row = sql`select from pgtenancy.tenant t where t.tenant_uid = ${tenant.tenantUid}::uuid`;
      return (await connection.run(row)) === 0;
    }),
  );

const databaseRemains = () => new Trouble('StaleDecision', 'the database still exists');
