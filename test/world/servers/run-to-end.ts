import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

import { watch } from './watchdog.ts';

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

export interface Ended {
  /** null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as they came. */
  readonly output: string;
}

/** Waits for a child to end, and keeps what it writes; it does not outlive us. @throws Error when it could not be started */
export function runToEnd(child: Child): Promise<Ended> {
  watch(child);
  return untilClosed(child);
}

/**
 * The same for a shell, or what else starts processes of its own, when it leads a group of them (`detached`): they end with
 * it, and all of them are killed after `timeoutMs`, which the output then says. @throws Error when it could not be started
 */
export async function runGroupToEnd(child: Child, timeoutMs: number): Promise<Ended> {
  watch(child, { group: true });
  let said = '';
  const late = setTimeout(() => {
    said = `killed after ${timeoutMs} ms\n`;
    killGroup(child);
    // Somebody who left the group may hold them open.
    child.stdout.destroy();
    child.stderr.destroy();
  }, timeoutMs);
  child.once('exit', () => killGroup(child));
  const ended = await untilClosed(child).finally(() => clearTimeout(late));
  return { ...ended, output: `${ended.output}${said}` };
}

function killGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}

async function untilClosed(child: Child): Promise<Ended> {
  const written = { stdout: '', stderr: '', output: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
      written.output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}
