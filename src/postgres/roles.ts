import { Trouble } from '../errors.ts';
import { sqlName } from '../domain/sql-name.ts';
import type { RoleRepair } from '../domain/steps.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import { sqlRoutine, sqlState } from './errors.ts';
import { roleNamed, roleWithOid } from './found-objects.ts';
import { requireManaged } from './manager.ts';
import { ownRole, requireRole } from './ownership.ts';
import { scramVerifier } from './scram.ts';
import { revokeSelfGrant } from './self-grant.ts';
import type { ServerContext } from './server-context.ts';
import { sql, type Sql } from './sql.ts';
import { changeTenant, refuseRetained, type TenantChange } from './tenant-transaction.ts';

/**
 * Creates the login role and registers its OID in one transaction, so that no crash leaves a role that nobody owns up
 * to. Does nothing when the registered role is there. Throws `Conflict` for any other role of that name.
 */
export async function createRole(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
  connectionLimit: number,
): Promise<void> {
  const verifier = await scramVerifier(password);
  await changeTenant(server, tenant, async (change) => {
    const { connection, row } = change;
    refuseRetained(row);
    if ((await ownRole(change)) !== undefined) return;
    if ((await roleNamed(connection, row.roleName)) !== undefined) throw foreignRole(row.roleName);
    try {
      await createAndRegister(change, verifier, connectionLimit);
    } catch (error) {
      const denied = sqlState(error) === '42501' && sqlRoutine(error) === 'CreateRole';
      throw denied ? mayNotCreate(server.target) : error;
    }
  });
}

/** Inside the transaction that failed nothing can be asked any more: who acts there is known from the target. */
function mayNotCreate({ adminRole, username }: ServerContext['target']): Trouble {
  const name = adminRole ?? username;
  return new Trouble(
    'RightsMissing',
    `management role "${name}" may not create roles; a superuser runs: alter role ${sqlName(name)} createrole`,
  );
}

async function createAndRegister(change: TenantChange, verifier: string, limit: number): Promise<void> {
  const { connection, row, tenant } = change;
  const role = sql.id(row.roleName);
  try {
    // All attributes at creation: a management role that is no superuser may not name some of them in `alter role`.
    await connection.run(sql`
      create role ${role} login inherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
        connection limit ${sql.integer(limit)} password ${sql.literal(verifier)}`);
  } catch (error) {
    if (sqlState(error) === '42710' || sqlState(error) === '23505') throw foreignRole(row.roleName);
    throw error;
  }
  await connection.run(
    sql`comment on role ${role} is ${sql.literal(`pgtenancy tenant ${tenant.tenantUid}`)}`,
  );
  await connection.run(sql`
    update pgtenancy.tenant t set role_oid = r.oid
      from pg_catalog.pg_roles r
     where t.tenant_uid = ${tenant.tenantUid}::uuid and r.rolname = ${row.roleName}::name`);
  // The server makes one by itself where `createrole_self_grant` is set.
  const created = await roleNamed(connection, row.roleName);
  if (created !== undefined) await revokeSelfGrant(connection, created);
}

/** Puts the given attributes of the registered role right. Throws `RightsMissing`. */
export const repairRole = (server: ServerContext, tenant: TenantHandle, repair: RoleRepair): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const { connection } = change;
    const options = attributeOptions(repair);
    const role = await requireRole(change);
    await requireManaged(connection, role);
    if (options.length === 0) return;
    await connection.run(sql`alter role ${sql.id(role.name)} ${sql.join(options, sql` `)}`);
  });

/** Takes back what an interrupted step left. Whatever the role is named by now: the grant is the management role's own. */
export const returnMembership = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async ({ connection, row }) => {
    const role = await roleWithOid(connection, row.roleOid);
    if (role !== undefined) await revokeSelfGrant(connection, role);
  });

/** Only what is asked for: some attributes may not even be named by a management role that is no superuser. */
function attributeOptions(repair: RoleRepair): Sql[] {
  const options: Sql[] = [];
  if (repair.login === true) options.push(sql`login`);
  if (repair.inherit === true) options.push(sql`inherit`);
  if (repair.superuser === false) options.push(sql`nosuperuser`);
  if (repair.createDb === false) options.push(sql`nocreatedb`);
  if (repair.createRole === false) options.push(sql`nocreaterole`);
  if (repair.replication === false) options.push(sql`noreplication`);
  if (repair.bypassRls === false) options.push(sql`nobypassrls`);
  if (repair.connectionLimit !== undefined) {
    options.push(sql`connection limit ${sql.integer(repair.connectionLimit)}`);
  }
  if (repair.neverExpires === true) options.push(sql`valid until 'infinity'`);
  return options;
}

/** Sets the verifier of a password on the registered role. Throws `RightsMissing`. */
export async function setPassword(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
): Promise<void> {
  const verifier = await scramVerifier(password);
  await changeTenant(server, tenant, async (change) => {
    const role = await requireRole(change);
    await requireManaged(change.connection, role);
    await change.connection.run(sql`alter role ${sql.id(role.name)} password ${sql.literal(verifier)}`);
  });
}

const foreignRole = (name: string) =>
  new Trouble('Conflict', `role "${name}" exists and is not the registered one`);
