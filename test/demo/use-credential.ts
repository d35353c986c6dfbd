import type pg from 'pg';

import { connectedClient } from '../world/servers/connected-client.ts';
import type { KubeClient } from '../world/kubernetes/client.ts';
import { secrets } from '../world/kubernetes/resources.ts';

/** Every key of a Secret, decoded. */
export async function readSecret(
  kube: KubeClient,
  namespace: string,
  name: string,
): Promise<Record<string, string>> {
  const secret = await kube.get(secrets, name, namespace);
  if (secret?.data === undefined) throw new Error(`Secret ${namespace}/${name} is not there`);
  return Object.fromEntries(
    Object.entries(secret.data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

/** Logs in as an application does, with nothing but what the Secret says, and verifies the server fully. */
export async function asApplication<T>(
  secret: Record<string, string>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { hostaddr = '', host = '', certificates = '' } = secret;
  const client = await connectedClient({
    host: hostaddr === '' ? host : hostaddr,
    port: Number(secret['port']),
    database: secret['database'] ?? '',
    user: secret['username'] ?? '',
    password: secret['password'] ?? '',
    ssl: { ca: certificates, servername: host, rejectUnauthorized: true },
    connectionTimeoutMillis: 5_000,
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The application's first minute: a table in `public`, a row, and the extensions at work. */
export const firstMinute = (secret: Record<string, string>): Promise<string[]> =>
  asApplication(secret, async (client) => {
    await client.query(
      'create table public.orders (id uuid primary key default gen_random_uuid(), item text not null)',
    );
    await client.query("insert into public.orders (item) values ('a database')");
    const orders = await client.query<{ item: string; who: string; secure: boolean }>(
      'select item, current_user as who, (select ssl from pg_catalog.pg_stat_ssl where pid = pg_catalog.pg_backend_pid()) as secure from public.orders',
    );
    const extensions = await client.query<{ name: string; version: string }>(
      "select extname as name, extversion as version from pg_catalog.pg_extension where extname <> 'plpgsql' order by 1",
    );
    return [
      ...orders.rows.map(
        ({ item, who, secure }) => `ordered: ${item} (as ${who}, TLS ${secure ? 'on' : 'off'})`,
      ),
      ...extensions.rows.map(({ name, version }) => `extension ${name} ${version}`),
    ];
  });
