import { connectedClient } from '../world/servers/connected-client.ts';
import { asApplication, readSecret } from '../demo/use-credential.ts';
import { pgHost } from '../world/names.ts';
import type { Stage } from './stage.ts';
import { splitName, type TenantName } from './tenants.ts';

/** One statement as superuser, in the management database unless another one is named. */
export async function sql<Row extends object = Record<string, unknown>>(
  { world }: Stage,
  text: string,
  {
    database = world.management.managementDatabase,
    values = [],
  }: { database?: string; values?: readonly unknown[] } = {},
): Promise<Row[]> {
  const { host, port, superuser } = world.postgres;
  const client = await connectedClient({
    host,
    port,
    user: superuser.name,
    password: superuser.password,
    database,
    ssl: { ca: world.ca, servername: pgHost },
  });
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** What the application finds in its Secret. */
export const secretOf = (stage: Stage, name: TenantName): Promise<Record<string, string>> => {
  const { namespace, name: own } = splitName(name);
  return readSecret(stage.kube, namespace, `${own}-postgresql`);
};

/** One statement as the application, logged in with nothing but what its Secret says. */
export const asTenant = async <Row extends object = Record<string, unknown>>(
  stage: Stage,
  name: TenantName,
  text: string,
): Promise<Row[]> => query(await secretOf(stage, name), text);

export const query = <Row extends object = Record<string, unknown>>(
  secret: Record<string, string>,
  text: string,
): Promise<Row[]> => asApplication(secret, async (client) => (await client.query<Row>(text)).rows);

/** What is left of a Tenant's names in PostgreSQL. */
export async function inPostgres(
  stage: Stage,
  name: string,
): Promise<{ database?: string; role?: string; row?: string }> {
  const rows = await sql<{ what: 'database' | 'role' | 'row'; value: string }>(
    stage,
    `select 'database' as what, oid::text as value from pg_catalog.pg_database where datname = $1
     union all select 'role', oid::text from pg_catalog.pg_roles where rolname = $1
     union all select 'row', state from pgtenancy.tenant where database_name = $1`,
    { values: [name] },
  );
  return Object.fromEntries(rows.map(({ what, value }) => [what, value]));
}
