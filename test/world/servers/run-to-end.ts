import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

import { watch } from './watchdog.ts';

export interface Ended {
  /** null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as they came. */
  readonly output: string;
}

/** Waits for a child to end, and keeps what it writes; it does not outlive us. @throws Error when it could not be started */
export async function runToEnd(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<Ended> {
  watch(child);
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
