import { z } from 'zod';

import { notSuperusers } from '../domain/extensions.ts';
import { catalogLocked } from '../domain/login-checks.ts';
import { Trouble } from '../errors.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Connection } from './connection.ts';
import { sqlState, withTranslation } from './errors.ts';
import { ownRole, registeredDatabase, requireRole } from './ownership.ts';
import { isPristine } from './pristine.ts';
import { openManagement, type ServerContext } from './server-context.ts';
import { sql } from './sql.ts';
import { requireRegisteredDatabase } from './tenant-session.ts';
import { changeTenant, changeTenantOn } from './tenant-transaction.ts';
import { endSessions, terminateSessions } from './terminate-sessions.ts';

/**
 * Runs work of the management role in the tenant's database while the tenant is shut out, and only if the database is
 * pristine then. An earlier look is not enough: what the tenant makes after it could be called by a superuser's session.
 * The role may log in again afterwards, whatever happened; after a crash the next observation sees NOLOGIN and repairs
 * it. Throws `RequiresSuperuser` when the management role is none, the tenant made something or let somebody else in,
 * `Busy` while its sessions do not end, `LockHeld`
 * while a lock in the database is held.
 */
export async function undisturbed(
  server: ServerContext,
  tenant: TenantHandle,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  await requireSuperuser(server);
  await shutOut(server, tenant);
  try {
    // The row stays locked meanwhile: another replica that is at the same step cannot let the role in again.
    await changeTenant(server, tenant, async ({ connection: registry }) => {
      const idleMs = server.limits.connectMs + 4 * server.limits.readMs;
      await registry.run(sql`set local idle_in_transaction_session_timeout = ${sql.integer(idleMs)}`);
      await requireShutOut(registry, tenant);
      await enter(server, tenant, work);
    });
  } finally {
    await letIn(server, tenant);
  }
}

/** Asked before the tenant is shut out, so that it is not shut out in vain. */
const requireSuperuser = (server: ServerContext): Promise<void> =>
  withTranslation(() =>
    server.backends.lend(async (connection) => {
      const found = await connection.run(
        sql`select from pg_catalog.pg_roles r where r.rolname in (current_user, session_user) and not r.rolsuper`,
      );
      if (found === 0) return;
      throw new Trouble('RequiresSuperuser', `${notSuperusers}; a superuser must create it`);
    }),
  );

/** Sessions are ended first, because one of them may hold a lock on the role. */
const shutOut = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  changeTenant(server, tenant, async (change) => {
    const role = await requireRole(change);
    await terminateSessions(change.connection, { databaseOid: tenant.databaseOid, roleOid: role.oid });
    await change.connection.run(sql`alter role ${sql.id(role.name)} nologin`);
  });

async function requireShutOut(connection: Connection, { roleOid }: TenantHandle): Promise<void> {
  const found = await connection.run(
    sql`select from pg_catalog.pg_roles r where r.oid = ${roleOid}::oid and not r.rolcanlogin`,
  );
  if (found === 0) throw new Trouble('StaleDecision', 'the role may log in again already');
}

/** A session of the management role in a database that the tenant ruled: hardened options, looks, one statement, out. */
const enter = (
  server: ServerContext,
  tenant: TenantHandle,
  work: (connection: Connection) => Promise<void>,
): Promise<void> =>
  server.backends.reserve(async (serverMajor) => {
    const connection = await openManagement(server, {
      applicationName: 'pgtenancy extension',
      statementMs: server.limits.readMs,
      database: tenant.databaseName,
      serverMajor,
    });
    try {
      await withTranslation(() =>
        unlessLocked(tenant, async () => {
          await requireRegisteredDatabase(connection, tenant);
          // Only now: a login that was under way when the role became NOLOGIN is a session that can be seen by now.
          await endSessions(connection, tenant, server.limits.lockMs);
          await refuseUsed(connection);
          await work(connection);
        }),
      );
    } finally {
      await connection.end();
    }
  });

/** A transaction that was prepared holds its locks also when all sessions have ended. */
async function unlessLocked({ databaseName }: TenantHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (sqlState(error) === '55P03') throw new Trouble('LockHeld', catalogLocked(databaseName));
    throw error;
  }
}

async function refuseUsed(connection: Connection): Promise<void> {
  const used = (message: string) => new Trouble('RequiresSuperuser', message);
  if (!(await isPristine(connection)))
    throw used('the database is in use already; a superuser must create it');
  if (await othersMayEnter(connection)) {
    throw used('other roles than the tenant may connect to the database already; a superuser must create it');
  }
}

/** The owner can give CONNECT, or before version 16 membership in its role, to somebody who still may log in. */
async function othersMayEnter(connection: Connection): Promise<boolean> {
  const found = await connection.run(sql`
    with own as (
           select d.datdba, coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba)) as datacl
             from pg_catalog.pg_database d
            where d.datname = pg_catalog.current_database()),
         other as (
           select a.grantee as oid from own o, pg_catalog.aclexplode(o.datacl) a
            where a.privilege_type = 'CONNECT' and a.grantee <> o.datdba
            union all
           select m.member from own o join pg_catalog.pg_auth_members m on m.roleid = o.datdba)
    select from other o
      left join pg_catalog.pg_roles r on r.oid = o.oid
     where (r.oid is null or not r.rolsuper)
       and r.rolname is distinct from current_user and r.rolname is distinct from session_user`);
  return found > 0;
}

/**
 * Not refused for its age: it only undoes what was done a moment ago. A database that was closed meanwhile is about to
 * be dropped, and its role stays shut out.
 */
const letIn = (server: ServerContext, tenant: TenantHandle): Promise<void> =>
  withTranslation(() =>
    server.backends.lend(async (connection) => {
      const { observedAt } = await connection.row(
        z.object({ observedAt: z.string() }),
        sql`select pg_catalog.clock_timestamp()::text as "observedAt"`,
      );
      await changeTenantOn(connection, server, { ...tenant, observedAt }, async (change) => {
        const role = await ownRole(change);
        const database = await registeredDatabase(change);
        if (role === undefined || database?.allowConnections !== true) return;
        await connection.run(sql`alter role ${sql.id(role.name)} login`);
      });
    }),
  );
