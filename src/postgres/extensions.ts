import { z } from 'zod';

import { Trouble } from '../errors.ts';
import { catalogLocked } from '../domain/login-checks.ts';
import type { Reason } from '../domain/reasons.ts';
import type { ExtensionInstall } from '../domain/steps.ts';
import type { TenantHandle } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import type { Connection } from './connection.ts';
import { printable, sqlState } from './errors.ts';
import { noConnectionLeft } from './login-errors.ts';
import type { ServerContext } from './server-context.ts';
import { sql, type Sql } from './sql.ts';
import { asTenant } from './tenant-session.ts';
import { changeTenant } from './tenant-transaction.ts';
import { undisturbed } from './undisturbed.ts';

/**
 * Installs one extension in the tenant's database, its schema first. Nothing is dropped, moved or updated, and nothing
 * that it requires is installed along. The tenant owns the schema and what its own login creates.
 * Throws `ExtensionUnavailable`, `ExtensionRequires`, `RequiresSuperuser`, `PasswordRejected`, `LockHeld`, and what a
 * session throws.
 */
export async function installExtension(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
  extension: ExtensionInstall,
): Promise<void> {
  // No transaction spans two databases: age and row are checked here, the database's OID in the session.
  await changeTenant(server, tenant, () => Promise.resolve());
  const plan = await asTenant(server, tenant, password, async (connection) => {
    const schema = await schemaFor(connection, extension);
    if (schema !== undefined) await ensureSchema(connection, schema);
    if (extension.as === 'tenant') await create(connection, extension, schema);
    return { schema };
  });
  if (plan === 'rejected') {
    throw new Trouble('PasswordRejected', 'the server refuses the recorded password of the role');
  }
  if (plan === 'authenticated') throw noConnectionLeft(tenant);
  if (plan === 'locked') throw new Trouble('LockHeld', catalogLocked(tenant.databaseName));
  if (extension.as === 'tenant') return;
  await undisturbed(server, tenant, (connection) => create(connection, extension, plan.schema));
}

/** Undefined where the control file fixes the schema: the extension then makes it itself. */
async function schemaFor(connection: Connection, extension: ExtensionInstall): Promise<string | undefined> {
  const { fixed } = await connection.row(
    z.object({ fixed: z.string().nullable() }),
    sql`
      select max(v.schema::text) as fixed
        from pg_catalog.pg_available_extension_versions v
        join pg_catalog.pg_available_extensions a on a.name = v.name
       where v.name = ${extension.name}::name
         and v.version = coalesce(${extension.version ?? null}, a.default_version)`,
  );
  return fixed === null ? (extension.schema ?? 'public') : undefined;
}

async function ensureSchema(connection: Connection, schema: string): Promise<void> {
  const found = await connection.rows(
    z.object({}),
    sql`select from pg_catalog.pg_namespace n where n.nspname = ${schema}::name`,
  );
  if (found.length === 0) await connection.run(sql`create schema if not exists ${sql.id(schema)}`);
}

async function create(
  connection: Connection,
  extension: ExtensionInstall,
  schema: string | undefined,
): Promise<void> {
  try {
    await connection.run(createStatement(extension, schema));
  } catch (error) {
    const code = sqlState(error) ?? '';
    if (code === '23505' || code === '42710') {
      await requireInstalled(connection, extension, error);
      return;
    }
    const meaning = meanings[code];
    if (meaning === undefined) throw error;
    throw new Trouble(meaning.reason, `cannot install extension "${extension.name}": ${meaning.why}`);
  }
}

/** Another replica was faster, or a type, function or table of the tenant has a name that the extension needs. */
async function requireInstalled(
  connection: Connection,
  { name }: ExtensionInstall,
  error: unknown,
): Promise<void> {
  const found = await connection.run(
    sql`select from pg_catalog.pg_extension e where e.extname = ${name}::name`,
  );
  if (found > 0) return;
  const why = error instanceof Error ? printable(error.message) : '';
  throw new Trouble('ServerError', `cannot install extension "${name}": PostgreSQL says: ${why}`);
}

function createStatement({ name, version }: ExtensionInstall, schema: string | undefined): Sql {
  const inSchema = schema === undefined ? sql`` : sql`schema ${sql.id(schema)}`;
  const atVersion = version === undefined ? sql`` : sql`version ${sql.literal(version)}`;
  return sql`create extension if not exists ${sql.id(name)} ${inSchema} ${atVersion}`;
}

const meanings: Readonly<Record<string, { readonly reason: Reason; readonly why: string }>> = {
  '0A000': { reason: 'ExtensionUnavailable', why: 'the server does not offer it, or not in this schema' },
  '57014': { reason: 'ServerError', why: 'it took longer than the time limit; it is tried again later' },
  '58P01': { reason: 'ExtensionUnavailable', why: 'a file of it is missing on the server' },
  '22023': { reason: 'ExtensionUnavailable', why: 'the server does not offer this version' },
  '42704': { reason: 'ExtensionRequires', why: 'an extension that it requires is not installed' },
  '42501': { reason: 'RequiresSuperuser', why: 'only a superuser may; ask a database administrator' },
};
