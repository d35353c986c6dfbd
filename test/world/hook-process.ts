import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { freePort } from './servers/free-port.ts';
import { waitFor } from './servers/wait-for.ts';
import { watch } from './servers/watchdog.ts';

const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Production runs compiled code; with the cache the process does not carry the TypeScript stripper along either. */
const compileCache = fileURLToPath(new URL('../../.cache/node', import.meta.url));

/** What to run as the operator. */
export interface HookProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** User and group to run as; absent: our own. */
  readonly uid?: number;
  readonly gid?: number;
  /** Its environment below that of the hook. */
  readonly env?: Readonly<Record<string, string>>;
  /** What answers 200 when it is ready; by default `/readyz` beside its metrics. */
  readonly readyUrl?: string;
  /** How long an orderly end may take before it is killed; by default 20 s. */
  readonly graceMs?: number;
}

const fromSource: HookProgram = {
  file: process.execPath,
  args: [entry],
  env: { NODE_COMPILE_CACHE: compileCache },
};

/** The operator as its own process, on one address over all its restarts. */
export class HookProcess {
  readonly url: string;
  /** `/healthz`, `/readyz`, `/metrics`. */
  readonly metricsUrl: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #onLine: (line: string) => void;
  readonly #program: HookProgram;
  #child: ChildProcess | undefined;
  #output = '';
  #stopping = false;
  #reviving = false;

  private constructor(
    { url, metricsUrl }: { readonly url: string; readonly metricsUrl: string },
    env: Readonly<Record<string, string>>,
    onLine: (line: string) => void,
    program: HookProgram,
  ) {
    this.url = url;
    this.metricsUrl = metricsUrl;
    this.#env = env;
    this.#onLine = onLine;
    this.#program = program;
  }

  /** Fills the compile cache once: without a configuration the process ends as soon as everything is loaded. */
  static async warm(): Promise<void> {
    if (existsSync(compileCache)) return;
    const loading = spawn(process.execPath, [entry], {
      env: { NODE_COMPILE_CACHE: compileCache },
      stdio: 'ignore',
      timeout: 60_000,
    });
    watch(loading);
    await once(loading, 'exit');
  }

  static async start(
    env: Readonly<Record<string, string>>,
    onLine: (line: string) => void = () => undefined,
    program: HookProgram = fromSource,
  ): Promise<HookProcess> {
    const port = env['PORT'] ?? String(await freePort());
    const scheme = env['HOOK_TLS'] === 'off' ? 'http' : 'https';
    const metricsPort = env['METRICS_PORT'] ?? String(await freePort());
    const hook = new HookProcess(
      { url: `${scheme}://127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}` },
      { ...env, HOST: '127.0.0.1', PORT: port, METRICS_PORT: metricsPort },
      onLine,
      program,
    );
    await hook.start().catch(async (error: unknown) => {
      await hook.kill();
      throw error;
    });
    return hook;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Everything that the process wrote, over all its runs. */
  log(): string {
    return this.#output;
  }

  /** @throws Error with the log, when the process does not answer */
  async start(): Promise<void> {
    const { file, args, env, cwd, uid, gid } = this.#program;
    const child = spawn(file, args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
      env: { ...env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.once('error', (error) => (this.#output += `${error.message}\n`));
    this.#child = child;
    this.#stopping = false;
    // Whoever started it may die without a chance to stop it.
    watch(child);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') this.#onLine(line);
      });
    }
    await waitFor(`the hook at ${this.url}`, () => this.#answers(child), { timeoutMs: 20_000 });
  }

  /** Starts it again if it was ended from outside, as a kubelet would; true when that was needed. */
  async revive(): Promise<boolean> {
    if (this.#stopping || this.#reviving || this.#running()) return false;
    this.#reviving = true;
    await this.start().finally(() => (this.#reviving = false));
    return true;
  }

  /** SIGTERM: an orderly end, which must come within the time that Kubernetes gives. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** SIGKILL: as a lost node. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #answers(child: ChildProcess): Promise<boolean> {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`the hook ended with ${end}:\n${this.#output}`);
    return fetch(this.#program.readyUrl ?? `${this.metricsUrl}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  }

  #running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child === undefined || !this.#running()) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const graceMs = this.#program.graceMs ?? 20_000;
    const inTime = await Promise.race([ended.then(() => true), sleep(graceMs, false, { ref: false })]);
    if (!inTime) child.kill('SIGKILL');
    await ended;
  }
}
