import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import { goEnvironment } from './go-environment.ts';
import { watch } from './watchdog.ts';

export interface ServerCommand {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** User and group to run as; absent: our own. */
  readonly uid?: number;
}

/** One run of a server program: its output, its readiness and its end. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #ended: Promise<void>;
  #output = '';
  #end: string | undefined;

  constructor(command: ServerCommand) {
    this.#name = command.name;
    this.#child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...goEnvironment, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.uid }),
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
    // A test that dies must not leave its servers behind.
    watch(this.#child);
    this.#ended = new Promise((resolve) => {
      const finish = (how: string): void => {
        this.#end ??= how;
        resolve();
      };
      this.#child.once('error', (error) => finish(`could not run: ${error.message}`));
      // 'close', not 'exit': only then is all of the output here. A child of the server may hold the pipe open, though.
      this.#child.once('close', (code, signal) => finish(`ended with ${signal ?? `code ${String(code)}`}`));
      this.#child.once('exit', (code, signal) => {
        setTimeout(() => finish(`ended with ${signal ?? `code ${String(code)}`}`), 2_000).unref();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#end === undefined;
  }

  output(): string {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @throws Error with the end of the server's output when it ends, or is not ready within `timeoutMs`. */
  async ready(probe: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (this.running) {
      if (await probe()) return;
      if (Date.now() > deadline) {
        await this.stop('SIGKILL');
        throw this.#failure(`was not ready within ${timeoutMs} ms`);
      }
      await sleep(20);
    }
    await this.#ended;
    throw this.#failure(this.#end ?? 'ended');
  }

  /** Ends the process and waits for it; after `timeoutMs` it is killed, and that is an error. */
  async stop(signal: NodeJS.Signals, timeoutMs = 20_000): Promise<void> {
    if (!this.running) return this.#ended;
    this.#child.kill(signal);
    const timer = new AbortController();
    const late = sleep(timeoutMs, 'late', { signal: timer.signal }).catch(() => 'in time');
    const first = await Promise.race([this.#ended, late]);
    timer.abort();
    if (first !== 'late') return;
    this.#child.kill('SIGKILL');
    await this.#ended;
    throw this.#failure(`did not end within ${timeoutMs} ms of ${signal}`);
  }

  #failure(what: string): Error {
    return new Error(`${this.#name} ${what}. The end of its log:\n${this.#output.slice(-4_000)}`);
  }
}
