import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { runGroupToEnd } from '../../world/servers/run-to-end.ts';

interface Options {
  /** Where commands run. */
  readonly cwd: string;
  /** For what it remembers. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const timeoutMs = 240_000;

/** A terminal that a person keeps open: what one block exports, the next one has. */
export class Terminal {
  readonly #options: Options;
  readonly #memory: string;
  #screen = '';

  constructor(options: Options) {
    this.#options = options;
    this.#memory = join(options.folder, 'exported');
  }

  /** Everything that was printed so far. */
  get screen(): string {
    return this.#screen;
  }

  /** Runs a block to its end, and stops at its first failure. @throws Error with what was printed */
  async run(block: string): Promise<string> {
    const recall = existsSync(this.#memory) ? `. '${this.#memory}'\n` : '';
    const script = `${recall}trap "export -p > '${this.#memory}'" EXIT\n${block}`;
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: this.#options.cwd,
      env: this.#options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const { code, output: printed } = await runGroupToEnd(shell, timeoutMs);
    this.#screen += printed;
    if (code !== 0) throw new Error(`it ended with ${String(code)}:\n${block}\n${printed}`);
    return printed;
  }
}
