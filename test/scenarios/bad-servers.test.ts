import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { connectedClient } from '../world/servers/connected-client.ts';
import { secrets } from '../world/kubernetes/resources.ts';
import { type Postgres, startPostgres } from '../world/servers/postgres.ts';
import {
  asItIs,
  asPooler,
  asVersion14,
  startTamperingProxy,
  type TamperingProxy,
} from '../world/servers/tampering-proxy.ts';
import { operatorNamespace } from '../world/names.ts';
import { assertNothingLeaked } from './canaries.ts';
import { type Messages, unusable } from './held-up.ts';
import { asSuperuser, untilInstanceReady } from './instances.ts';
import { raise, type Stage } from './stage.ts';
import { untilReady } from './tenants.ts';

let stage: Stage;
/** Servers without TLS: one behind each of the proxies, one that only reads, one with a locale of its own encoding. */
let plain: Postgres;
let standby: Postgres;
let latin: Postgres;
let folder: string;
const proxies: Record<string, TamperingProxy> = {};
let messages: Messages;

before(async () => {
  stage = await raise();
  plain = await startPostgres();
  proxies['pg-pooler'] = await startTamperingProxy(plain.port, asPooler);
  proxies['pg-old'] = await startTamperingProxy(plain.port, asVersion14);
  folder = await mkdtemp(join(tmpdir(), 'pgtenancy-standby-'));
  await chmod(folder, 0o711);
  standby = await startStandby();
  latin = await startPostgres();
  await withOtherLocale(latin, 'de_DE.ISO-8859-1');
  const { name: username, password } = plain.superuser;
  const metadata = { name: 'plain-login', namespace: operatorNamespace };
  const stringData = { username, password };
  await stage.kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
});
after(async () => {
  await stage.close();
  for (const proxy of Object.values(proxies)) await proxy.close();
  for (const server of [plain, standby, latin]) await server.close();
  await rm(folder, { recursive: true, force: true });
});

const dataFolder = (): string => join(folder, 'data');
const signal = (): string => join(dataFolder(), 'standby.signal');

/** A copy of a server that follows nobody: it answers, and only reads. */
async function startStandby(): Promise<Postgres> {
  const server = await startPostgres({ dataDir: dataFolder() });
  await server.stop();
  await writeFile(signal(), '');
  const { uid, gid } = await stat(dataFolder());
  await chown(signal(), uid, gid);
  await server.start();
  return server;
}

/** template0 as where the cluster was made with a locale of another encoding. */
async function withOtherLocale(server: Postgres, locale: string): Promise<void> {
  await superuser(
    server,
    `update pg_catalog.pg_database set encoding = pg_catalog.pg_char_to_encoding('LATIN1'),
            datctype = '${locale}', datcollate = '${locale}' where datname = 'template0'`,
  );
}

async function superuser(server: Postgres, text: string): Promise<unknown[]> {
  const { host, port, superuser: login } = server;
  const client = await connectedClient({
    host,
    port,
    user: login.name,
    password: login.password,
    database: 'postgres',
  });
  return client
    .query<object>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Every database, role and schema of every one of them. */
const contentsOf = (): Promise<unknown[][]> =>
  Promise.all(
    [plain, standby, latin].map((server) =>
      superuser(
        server,
        `select datname from pg_catalog.pg_database union all select rolname from pg_catalog.pg_roles
         union all select nspname from pg_catalog.pg_namespace order by 1`,
      ),
    ),
  );

const cases: Readonly<Record<string, { title: string; reason: string; message: RegExp }>> = {
  'pg-pooler': {
    title: 'behind a pooler',
    reason: 'PoolerDetected',
    message: /^a connection pooler answers; give the address of the server itself in spec\.host/,
  },
  'pg-standby': {
    title: 'that is a standby',
    reason: 'StandbyDetected',
    message: /^a standby answers; give the address of the primary in spec\.host/,
  },
  'pg-old': {
    title: 'of version 14',
    reason: 'VersionUnsupported',
    message:
      /^the server is PostgreSQL 14\.\d+; upgrade it to 15 or newer, or give the address of a newer one/,
  },
  'pg-latin': {
    title: 'whose locale allows no UTF-8',
    reason: 'TemplateUnusable',
    message:
      /template0 has encoding LATIN1 and locale "de_DE\.ISO-8859-1"; .* with a UTF-8 locale, or the Instance/,
  },
};
const names = Object.keys(cases);

const portOf = (name: string): number => {
  if (name === 'pg-standby') return standby.port;
  return name === 'pg-latin' ? latin.port : (proxies[name]?.port ?? 0);
};

test('Instances on servers that are not fit say so, and nothing is made anywhere', async () => {
  const contents = await contentsOf();
  messages = await unusable(
    stage,
    names.map((name) => ({
      name,
      port: portOf(name),
      spec: { ...asSuperuser, tls: { mode: 'disable' }, managementSecretRef: { name: 'plain-login' } },
      reason: cases[name]?.reason ?? '',
    })),
  );
  assert.deepEqual(await contentsOf(), contents);
});

for (const [name, { title, message }] of Object.entries(cases)) {
  test(`An Instance on a server ${title} says what is wrong and what to do`, () => {
    assert.match(messages[name] ?? '', message);
  });
}

test('Each goes on by itself once its server is replaced, and so does its Tenant', async () => {
  for (const proxy of Object.values(proxies)) proxy.tamper = asItIs;
  await standby.stop();
  await rm(signal());
  await standby.start();
  await withOtherLocale(latin, 'C');
  await Promise.all(names.map((name) => untilInstanceReady(stage.kube, name)));
  await Promise.all(names.map((name) => untilReady(stage, `for-${name}`)));
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
