import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { ServerTarget, TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { withTranslation } from './errors.ts';
import { databaseNamed, roleNamed } from './found-objects.ts';
import type { ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { lockTenant, refuseOldDecision, refuseOtherRow } from './tenant-transaction.ts';
import { inTransaction } from './transaction.ts';

interface Owner {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Takes the tenant's names in the registry. Throws `Conflict` when the catalog or another row has one of them,
 * `InstanceNotReady`, `InstanceChanged`, `StaleDecision`, `Busy`.
 */
export const claim = (server: ServerContext, tenant: TenantHandle, owner: Owner): Promise<void> =>
  withTranslation(() =>
    server.backends.lend((connection) =>
      inTransaction(connection, async () => {
        await shareInstance(connection, server.target);
        const row = await lockTenant(connection, tenant);
        await refuseOldDecision(connection, tenant, server.limits.decisionMs);
        if (row === undefined) {
          await insertClaim(connection, server.target, tenant, owner);
          return;
        }
        if (
          row.instanceUid !== server.target.instanceUid ||
          row.installation !== server.target.installation
        ) {
          throw new Trouble(
            'InstanceChanged',
            'the registry row of this Tenant belongs to another Instance or installation; its conditions say more at the next look',
          );
        }
        refuseOtherRow(row, tenant);
      }),
    ),
  );

/** Holds the Instance's row so that it cannot be released until the commit. */
export async function shareInstance(connection: Connection, target: ServerTarget): Promise<void> {
  const [instance] = await connection.rows(
    z.object({ installation: z.string() }),
    sql`
      select i.installation from pgtenancy.instance i
       where i.instance_uid = ${target.instanceUid}::uuid
         for key share`,
  );
  if (instance === undefined) {
    throw new Trouble(
      'InstanceNotReady',
      'the Instance is not entered in the registry yet; it goes on by itself once it is',
    );
  }
  if (instance.installation !== target.installation) {
    throw new Trouble(
      'InstanceChanged',
      `the Instance is registered by installation "${instance.installation}"; the platform administrator gives the operator its old INSTALLATION back, or the Instance another server`,
    );
  }
}

async function insertClaim(
  connection: Connection,
  target: ServerTarget,
  tenant: TenantHandle,
  owner: Owner,
): Promise<void> {
  const inserted = await connection.run(sql`
    insert into pgtenancy.tenant (tenant_uid, installation, instance_uid, namespace, name, database_name, role_name)
    values (${tenant.tenantUid}::uuid, ${target.installation}, ${target.instanceUid}::uuid,
            ${owner.namespace}, ${owner.name}, ${tenant.databaseName}, ${tenant.roleName})
    on conflict do nothing`);
  // The registry is asked first: it can name the holder, the catalog cannot.
  if (inserted === 0) throw await holderConflict(connection, tenant);
  await refuseTakenNames(connection, tenant);
}

async function refuseTakenNames(
  connection: Connection,
  { databaseName, roleName }: TenantHandle,
): Promise<void> {
  if ((await databaseNamed(connection, databaseName)) !== undefined) {
    throw new Trouble('Conflict', `database "${databaseName}" exists and is not this Tenant's`);
  }
  if ((await roleNamed(connection, roleName)) !== undefined) {
    throw new Trouble('Conflict', `role "${roleName}" exists and is not this Tenant's`);
  }
}

const holderShape = z.object({
  tenantUid: z.string(),
  owner: z.string(),
  installation: z.string(),
  state: z.string(),
  databaseName: z.string(),
});

/** The insert found another row; a new statement sees it, unless it was released in the same moment. */
async function holderConflict(connection: Connection, tenant: TenantHandle): Promise<Trouble> {
  const [holder] = await connection.rows(
    holderShape,
    sql`
      select t.tenant_uid as "tenantUid", t.namespace || '/' || t.name as owner, t.installation, t.state,
             t.database_name as "databaseName"
        from pgtenancy.tenant t
       where t.tenant_uid = ${tenant.tenantUid}::uuid
          or t.database_name = ${tenant.databaseName} or t.role_name = ${tenant.roleName}
       order by t.tenant_uid limit 1`,
  );
  if (holder === undefined || holder.tenantUid === tenant.tenantUid) {
    return new Trouble('StaleDecision', 'the registry changed while the names were being claimed');
  }
  const what =
    holder.databaseName === tenant.databaseName
      ? `database name "${tenant.databaseName}"`
      : `role name "${tenant.roleName}"`;
  return new Trouble(
    'Conflict',
    `${what} is held by Tenant ${holder.owner} (UID ${holder.tenantUid}, installation ${holder.installation}, ${holder.state})`,
  );
}
