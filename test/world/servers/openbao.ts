import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { freePort } from './free-port.ts';
import { askOpenBao, callOpenBao, type OpenBaoRequest } from './openbao-api.ts';
import { openBaoBinary } from './openbao-binary.ts';
import { ServerProcess } from './server-process.ts';
import { waitFor } from './wait-for.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface OpenBaoOptions {
  /** For mode 'server': kept for later runs, also by `close()`. Absent: a temporary one, which `close()` removes. */
  readonly dir?: string;
  readonly port?: number;
  /** 'dev' is there at once and forgets everything when it stops; 'server' (raft, one node) keeps it. */
  readonly mode: 'dev' | 'server';
}

/** What `sys/init` gave: without it a kept data folder could not be unsealed again. */
const keys = z.object({ rootToken: z.string(), unsealKey: z.string() });
type Keys = z.infer<typeof keys>;

/** Starts a real OpenBao on 127.0.0.1 (plain HTTP) and resolves when it is unsealed and active. */
export async function startOpenBao(options: OpenBaoOptions): Promise<OpenBao> {
  const temporary = options.dir === undefined;
  const dir = options.dir ?? (await temporaryFolder('openbao'));
  const openBao = new OpenBao(options.mode, dir, temporary, options.port ?? (await freePort()));
  try {
    await openBao.start();
  } catch (error) {
    await openBao.close();
    throw error;
  }
  return openBao;
}

export class OpenBao {
  readonly url: string;
  readonly #mode: OpenBaoOptions['mode'];
  readonly #dir: string;
  readonly #temporary: boolean;
  readonly #port: number;
  #keys: Keys = { rootToken: randomUUID(), unsealKey: '' };
  #process: ServerProcess | undefined;
  #earlierLog = '';

  constructor(mode: OpenBaoOptions['mode'], dir: string, temporary: boolean, port: number) {
    this.#mode = mode;
    this.#dir = dir;
    this.#temporary = temporary;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  get rootToken(): string {
    return this.#keys.rootToken;
  }

  /** Access as root: for arranging things, never for the code under test. */
  get root(): { url: string; token: string } {
    return { url: this.url, token: this.rootToken };
  }

  log(): string {
    return this.#earlierLog + (this.#process?.output() ?? '');
  }

  /** Starts (again) on the same port and unseals. @throws Error with the end of the log */
  async start(): Promise<void> {
    if (this.#process?.running === true) return;
    await mkdir(this.#dir, { recursive: true });
    const file = await openBaoBinary();
    const args = this.#mode === 'dev' ? this.#devArguments() : await this.#serverArguments();
    this.#earlierLog = this.log();
    // HOME: the server must neither read nor write files of the person who runs the tests.
    const run = new ServerProcess({ name: 'OpenBao', file, args, cwd: this.#dir, env: { HOME: this.#dir } });
    this.#process = run;
    await run.ready(async () => (await this.#health()) !== undefined);
    if (this.#mode === 'server') await this.#readKeysOrInitialise();
    await this.#unsealed();
  }

  /** SIGTERM, and back with `start()`. */
  async stop(): Promise<void> {
    await this.#process?.stop('SIGTERM');
  }

  /** From now on every request but health and unseal is answered with 503. */
  async seal(): Promise<void> {
    await this.#call({ method: 'PUT', path: 'sys/seal' });
  }

  /** Mode 'server' only: a dev server does not tell its key. */
  async unseal(): Promise<void> {
    await this.#unsealed();
  }

  async close(): Promise<void> {
    await this.stop().finally(async () => {
      if (this.#temporary) await rm(this.#dir, { recursive: true, force: true });
    });
  }

  #devArguments(): string[] {
    return [
      ...['server', '-dev', '-dev-no-store-token', `-dev-root-token-id=${this.rootToken}`],
      `-dev-listen-address=127.0.0.1:${this.#port}`,
    ];
  }

  async #serverArguments(): Promise<string[]> {
    const [data, config] = [join(this.#dir, 'data'), join(this.#dir, 'openbao.json')];
    await mkdir(data, { recursive: true, mode: 0o700 });
    const settings = {
      // The smallest multiplier: an election takes 2 s instead of 7.
      storage: { raft: { path: data, node_id: 'one', performance_multiplier: 1 } },
      listener: { tcp: { address: `127.0.0.1:${this.#port}`, tls_disable: true } },
      api_addr: this.url,
      cluster_addr: `http://127.0.0.1:${await this.#clusterPort()}`,
      disable_mlock: true,
    };
    await writeFile(config, JSON.stringify(settings));
    return ['server', `-config=${config}`];
  }

  /** Raft stores the address of its node, so it has to stay the same for as long as the data. */
  async #clusterPort(): Promise<number> {
    const file = join(this.#dir, 'cluster-port');
    const known = await readFile(file, 'utf8').catch(() => undefined);
    if (known !== undefined) return Number(known);
    const port = await freePort();
    await writeFile(file, String(port));
    return port;
  }

  async #readKeysOrInitialise(): Promise<void> {
    const file = join(this.#dir, 'keys.json');
    const known = await readFile(file, 'utf8').catch(() => undefined);
    if (known !== undefined) {
      this.#keys = keys.parse(JSON.parse(known));
      return;
    }
    const body = { secret_shares: 1, secret_threshold: 1 };
    const answer = z
      .object({ root_token: z.string(), keys_base64: z.tuple([z.string()]) })
      .parse(await callOpenBao({ url: this.url }, { method: 'PUT', path: 'sys/init', body }));
    this.#keys = { rootToken: answer.root_token, unsealKey: answer.keys_base64[0] };
    await writeFile(file, JSON.stringify(this.#keys), { mode: 0o600 });
  }

  /** Unseals when that is needed and waits until the node is active. */
  async #unsealed(): Promise<void> {
    if ((await this.#health()) === 503) {
      await this.#call({ method: 'PUT', path: 'sys/unseal', body: { key: this.#keys.unsealKey } });
    }
    await waitFor('OpenBao to be active', async () => (await this.#health()) === 200, { timeoutMs: 30_000 });
  }

  /** The status of sys/health (200 active, 429 standby, 501 not initialised, 503 sealed); undefined: no answer. */
  async #health(): Promise<number | undefined> {
    const answer = await askOpenBao({ url: this.url }, { method: 'GET', path: 'sys/health' }).catch(
      () => undefined,
    );
    return answer?.status;
  }

  async #call(request: OpenBaoRequest): Promise<void> {
    await callOpenBao(this.root, request);
  }
}
