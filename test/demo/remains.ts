import type pg from 'pg';

import { connectedClient } from '../world/servers/connected-client.ts';
import { externalSecrets, secrets, tenants } from '../world/kubernetes/resources.ts';
import { installation, pgHost } from '../world/names.ts';
import type { World } from '../world/world.ts';

/** A session as PostgreSQL's superuser in the management database. */
export async function asSuperuser<T>(world: World, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { name: user, password } = world.postgres.superuser;
  const ssl = { ca: world.ca, servername: pgHost };
  const client = await connectedClient({
    host: world.postgres.host,
    port: world.postgres.port,
    user,
    password,
    database: world.management.managementDatabase,
    ssl,
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What is left of a Tenant, in each of the three places. */
export async function remains(
  world: World,
  namespace: string,
  name: string,
  database: string,
): Promise<string[]> {
  const inPostgres = await asSuperuser(world, async (client) => [
    await names(client, 'select datname as name from pg_catalog.pg_database where datname = $1', database),
    await names(client, 'select rolname as name from pg_catalog.pg_roles where rolname = $1', database),
    await names(client, 'select state as name from pgtenancy.tenant where database_name = $1', database),
  ]);
  const kv = await world.kv.list(`${installation}/${namespace}/${name}/`);
  const inKubernetes = await Promise.all([
    world.kube.get(tenants, name, namespace),
    world.kube.get(externalSecrets, `${name}-postgresql`, namespace),
    world.kube.get(secrets, `${name}-postgresql`, namespace),
  ]);
  return [
    `PostgreSQL: database ${inPostgres[0] ?? ''}, role ${inPostgres[1] ?? ''}, registry row ${inPostgres[2] ?? ''}`,
    `OpenBao:    ${kv.length === 0 ? 'no record' : 'the record with its history'}`,
    `Kubernetes: ${inKubernetes.some((object) => object !== undefined) ? 'something' : 'nothing'}`,
  ];
}

async function names(client: pg.Client, query: string, value: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(query, [value]);
  return rows.length === 0 ? 'none' : rows.map((row) => row.name).join(', ');
}
