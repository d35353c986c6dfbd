import { X509Certificate } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort } from './free-port.ts';
import { installPostgresBinaries, type PostgresMajor } from './postgres-binaries.ts';
import {
  acceptsConnections,
  configure,
  type DataFolder,
  initialise,
  type TlsFiles,
  writeCertificate,
} from './postgres-data.ts';
import { presentedFingerprint } from './presented-certificate.ts';
import { ServerProcess } from './server-process.ts';
import { waitFor } from './wait-for.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface PostgresOptions {
  /** 17 when nothing is said. */
  readonly major?: PostgresMajor;
  /** Kept for later runs, also by `close()`. Absent: a temporary one, which `close()` removes. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** PEM texts. With them the server takes TLS connections only. */
  readonly tls?: TlsFiles;
  readonly superuser?: { readonly name: string; readonly password: string };
  readonly settings?: Readonly<Record<string, string>>;
  /** Lines of pg_hba.conf that go before the one that lets everybody in with SCRAM. */
  readonly hba?: readonly string[];
}

/** `nobody`: PostgreSQL refuses to run as root. */
const unprivileged = 65_534;

/** Starts a real PostgreSQL on 127.0.0.1 and resolves when it takes connections. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = await temporaryFolder('postgres');
  try {
    await chmod(folder, 0o711);
    const data: DataFolder = {
      path: options.dataDir ?? join(folder, 'data'),
      bin: await installPostgresBinaries(folder, options.major ?? 17),
      uid: process.getuid?.() === 0 ? unprivileged : undefined,
    };
    const postgres = new Postgres(folder, data, options.port ?? (await freePort()), options);
    await initialise(data, postgres.superuser);
    await postgres.start();
    return postgres;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

export class Postgres {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly superuser: { readonly name: string; readonly password: string };
  readonly #folder: string;
  readonly #data: DataFolder;
  readonly #options: PostgresOptions;
  #tls: TlsFiles | undefined;
  #process: ServerProcess | undefined;
  #earlierLog = '';

  constructor(folder: string, data: DataFolder, port: number, options: PostgresOptions) {
    this.#folder = folder;
    this.#data = data;
    this.#options = options;
    this.#tls = options.tls;
    this.port = port;
    this.superuser = options.superuser ?? { name: 'postgres', password: 'superuser-password' };
  }

  /** Everything that the server wrote since `startPostgres`, over all its starts. */
  log(): string {
    return this.#earlierLog + (this.#process?.output() ?? '');
  }

  /** Starts again, with the same data and port. @throws Error with the end of the log */
  async start(): Promise<void> {
    if (this.#process?.running === true) return;
    await configure(this.#data, {
      port: this.port,
      tls: this.#tls,
      settings: this.#options.settings ?? {},
      hba: this.#options.hba ?? [],
    });
    const deadline = Date.now() + 10_000;
    while (!(await this.#launched(deadline))) await sleep(100);
  }

  /** 'fast' ends the sessions and checkpoints; 'immediate' leaves recovery for the next start. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#process?.stop(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** SIGKILL, as a lost machine: no goodbye to the clients, recovery at the next start. */
  async kill(): Promise<void> {
    await this.#process?.stop('SIGKILL');
  }

  /** Resolves when new connections get the new certificate; connections that are open keep the old one. */
  async replaceCertificate(tls: TlsFiles): Promise<void> {
    if (this.#tls === undefined) throw new Error('the server was started without TLS');
    this.#tls = tls;
    await writeCertificate(this.#data, tls);
    if (this.#process?.running !== true) return;
    this.#process.signal('SIGHUP');
    const wanted = new X509Certificate(tls.cert).fingerprint256;
    await waitFor(
      'the new certificate (the log of the server says why it was refused)',
      async () => (await presentedFingerprint(this.host, this.port)) === wanted,
    );
  }

  /** Stops the server and removes its files, but for a `dataDir` that the caller named. */
  async close(): Promise<void> {
    const mode = this.#options.dataDir === undefined ? 'immediate' : 'fast';
    await this.stop(mode).finally(() => rm(this.#folder, { recursive: true, force: true }));
  }

  /** False: the sessions of a killed server still hold its shared memory, which lasts a moment. */
  async #launched(deadline: number): Promise<boolean> {
    this.#earlierLog = this.log();
    const run = new ServerProcess({
      name: 'PostgreSQL',
      file: join(this.#data.bin, 'postgres'),
      args: ['-D', this.#data.path],
      cwd: this.#data.path,
      ...(this.#data.uid === undefined ? {} : { uid: this.#data.uid }),
    });
    this.#process = run;
    try {
      await run.ready(() => acceptsConnections(this.#data, run.pid));
      return true;
    } catch (error) {
      if (Date.now() < deadline && run.output().includes('pre-existing shared memory block')) return false;
      throw error;
    }
  }
}
