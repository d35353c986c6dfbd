import { z } from 'zod';

import { registryVersion } from '../domain/server.ts';
import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { registryPresence } from './registry-presence.ts';
import { sql, type Sql } from './sql.ts';
import { fillInSystem, unknownSystem } from './system-identifier.ts';
import { inTransaction } from './transaction.ts';

/**
 * The statements that lead from version n to n + 1, at index n. Text constraints repeat what the API allows, so that a
 * hand-made row cannot hold a name that the operator would never quote right.
 */
const migrations: readonly (readonly Sql[])[] = [
  [
    sql`
      create table pgtenancy.meta (
        singleton boolean primary key default true check (singleton),
        schema_version integer not null check (schema_version > 0),
        min_compatible_version integer not null check (min_compatible_version <= schema_version),
        system_identifier text not null,
        registry_id uuid not null default gen_random_uuid())`,
    sql`
      create table pgtenancy.instance (
        instance_uid uuid primary key,
        installation text not null check (length(installation) between 1 and 128))`,
    // No foreign key to instance: a Retained row outlives its Instance. The claim locks the Instance's row instead.
    sql`
      create table pgtenancy.tenant (
        tenant_uid uuid primary key,
        installation text not null check (length(installation) between 1 and 128),
        instance_uid uuid not null,
        namespace text not null check (length(namespace) between 1 and 253),
        name text not null check (length(name) between 1 and 253),
        database_name text not null unique check (database_name ~ '^[a-z][a-z0-9_]{0,62}$'),
        role_name text not null unique check (role_name ~ '^[a-z][a-z0-9_]{0,62}$'),
        role_oid oid unique,
        database_oid oid unique,
        state text not null default 'Active' check (state in ('Active', 'Retained')),
        claimed_at timestamptz not null default now(),
        retained_at timestamptz,
        check ((state = 'Retained') = (retained_at is not null)))`,
    sql`create index tenant_instance_uid_idx on pgtenancy.tenant (instance_uid)`,
    sql`revoke all on all tables in schema pgtenancy from public`,
  ],
];

const schemaRow = z.object({ owner: z.string(), ours: z.boolean() });
const versionRow = z.object({ version: z.int(), minCompatible: z.int() });

/**
 * Creates the registry or brings it to this code's version, in one transaction under an advisory lock, so that any
 * number of replicas may do it at once. Throws `RegistryTooNew`, `RegistryMissing`, `RightsMissing`, `Busy`.
 */
export async function migrateRegistry(connection: Connection): Promise<void> {
  // Remembered for `fillInSystem`: a service that forbids asking would break the transaction.
  await connection.systemIdentifier();
  await inTransaction(connection, async () => {
    await connection.run(
      sql`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('pgtenancy/registry', 0))`,
    );
    await ensureSchema(connection);
    const version = await currentVersion(connection);
    if (version >= registryVersion) return fillInSystem(connection);
    for (const statement of migrations.slice(version).flat()) await connection.run(statement);
    await insertMeta(connection, registryVersion);
    await fillInSystem(connection);
  });
}

async function insertMeta(connection: Connection, version: number): Promise<void> {
  await connection.run(sql`
    insert into pgtenancy.meta (schema_version, min_compatible_version, system_identifier)
    values (${version}, ${version}, ${unknownSystem})
    on conflict (singleton) do update
       set schema_version = excluded.schema_version,
           min_compatible_version = excluded.min_compatible_version`);
}

/** A schema of somebody else could hold triggers that run with our rights. */
async function ensureSchema(connection: Connection): Promise<void> {
  const [schema] = await connection.rows(
    schemaRow,
    sql`
      select pg_catalog.pg_get_userbyid(n.nspowner) as owner,
             pg_catalog.pg_get_userbyid(n.nspowner) = current_user as ours
        from pg_catalog.pg_namespace n
       where n.nspname = 'pgtenancy'`,
  );
  if (schema?.ours === false) {
    throw new Trouble(
      'RightsMissing',
      `schema pgtenancy belongs to role "${schema.owner}", not to the management role`,
    );
  }
  if (schema === undefined) await connection.run(sql`create schema pgtenancy`);
  await connection.run(sql`revoke all on schema pgtenancy from public`);
}

/**
 * 0 when there is no registry yet. One without meta row and without tenants is taken for the first version: a later one
 * would refuse the statements that lead to it. A newer one that declares itself compatible is left as it is.
 */
async function currentVersion(connection: Connection): Promise<number> {
  const presence = await registryPresence(connection);
  if (presence === 'none') return 0;
  if (presence === 'empty') await insertMeta(connection, 1);
  const { version, minCompatible } = await connection.row(
    versionRow,
    sql`select m.schema_version as "version", m.min_compatible_version as "minCompatible" from pgtenancy.meta m`,
  );
  if (minCompatible > registryVersion) {
    throw new Trouble(
      'RegistryTooNew',
      `the registry needs an operator that knows registry version ${minCompatible}, and this one knows ${registryVersion}; the platform administrator upgrades it`,
    );
  }
  return version;
}
