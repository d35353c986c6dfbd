import { spawn } from 'node:child_process';
import { access, chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { runGroupToEnd } from './run-to-end.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** For client certificates: the server then asks for one. */
  readonly ca?: string;
}

export interface DataFolder {
  readonly path: string;
  readonly bin: string;
  /** Whose the files are and who runs the server; undefined: ourselves. */
  readonly uid: number | undefined;
}

export interface ServerSettings {
  readonly port: number;
  readonly tls: TlsFiles | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly hba: readonly string[];
}

/** Makes the cluster with initdb, unless the folder holds one already. */
export async function initialise(
  data: DataFolder,
  superuser: { name: string; password: string },
): Promise<void> {
  await mkdir(data.path, { recursive: true });
  await chmod(data.path, 0o700);
  await give(data, data.path);
  await assertReachable(data);
  if (await exists(join(data.path, 'PG_VERSION'))) return;
  // initdb refuses a folder that holds anything, and only its user may read the password.
  const passwordFile = `${data.path}.password`;
  await writeOwned(data, passwordFile, superuser.password);
  try {
    await initdb(data, superuser.name, passwordFile);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function initdb(data: DataFolder, user: string, passwordFile: string): Promise<void> {
  const child = spawn(
    join(data.bin, 'initdb'),
    [
      ...['--pgdata', data.path, '--username', user, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--wal-segsize', '1', '--no-sync', '--no-instructions'],
    ],
    {
      cwd: data.path,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(data.uid === undefined ? {} : { uid: data.uid, gid: data.uid }),
    },
  );
  const { code, output } = await runGroupToEnd(child, 60_000);
  if (code !== 0) throw new Error(`initdb ended with ${String(code)}:\n${output.slice(-4_000)}`);
}

/** Writes postgresql.conf and pg_hba.conf whole, so that a kept data folder follows the options of this start. */
export async function configure(data: DataFolder, server: ServerSettings): Promise<void> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(server.port),
    unix_socket_directories: '',
    shared_buffers: '16MB',
    max_connections: '60',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    password_encryption: 'scram-sha-256',
    log_line_prefix: '%m [%p] %u@%d ',
    timezone: 'UTC',
    ...(server.tls === undefined
      ? {}
      : { ssl: 'on', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key' }),
    ...(server.tls?.ca === undefined ? {} : { ssl_ca_file: 'ca.crt' }),
    ...server.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  await writeOwned(data, join(data.path, 'postgresql.conf'), `${lines.join('\n')}\n`);
  const rule = server.tls === undefined ? 'host' : 'hostssl';
  // The caller's lines come first: PostgreSQL takes the first that matches.
  const hba = [...server.hba, `${rule} all all all scram-sha-256`];
  await writeOwned(data, join(data.path, 'pg_hba.conf'), `${hba.join('\n')}\n`);
  if (server.tls !== undefined) await writeCertificate(data, server.tls);
}

export async function writeCertificate(data: DataFolder, tls: TlsFiles): Promise<void> {
  await writeOwned(data, join(data.path, 'server.crt'), tls.cert);
  await writeOwned(data, join(data.path, 'server.key'), tls.key);
  if (tls.ca !== undefined) await writeOwned(data, join(data.path, 'ca.crt'), tls.ca);
}

/** True when the postmaster with this process id accepts connections: what `pg_ctl --wait` looks at. */
export async function acceptsConnections(data: DataFolder, pid: number | undefined): Promise<boolean> {
  const lines = await readFile(join(data.path, 'postmaster.pid'), 'utf8').catch(() => '');
  const [first, , , , , , , state] = lines.split('\n');
  return pid !== undefined && first === String(pid) && state?.trim() === 'ready';
}

/** By rename: a server that reloads in this moment must not see half a file. */
async function writeOwned(data: DataFolder, path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600 });
  await give(data, draft);
  await rename(draft, path);
}

async function give({ uid }: DataFolder, path: string): Promise<void> {
  if (uid !== undefined) await chown(path, uid, uid);
}

/** PostgreSQL would only say "could not access directory", without naming the parent that is closed. */
async function assertReachable({ path, uid }: DataFolder): Promise<void> {
  if (uid === undefined) return;
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid: owner } = await stat(folder);
    if ((mode & 0o001) === 0 && owner !== uid) {
      throw new Error(
        `user ${uid}, who runs PostgreSQL, cannot enter ${folder}: chmod o+x it, or choose another`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
