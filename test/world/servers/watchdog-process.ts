import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { removeTree } from './remove-tree.ts';

/*
 * Reads `+<pid>`, `-<pid>` (negative: of a group) and `><folder>`; when its input ends, the processes that are left are
 * killed, and the folders removed. See watchdog.ts.
 */

/** How often each is watched: who takes it back does so for himself. */
const watched = new Map<number, number>();
const count = (pid: number, change: 1 | -1) => watched.set(pid, (watched.get(pid) ?? 0) + change);
const folders: string[] = [];

for await (const line of createInterface({ input: process.stdin })) {
  const rest = line.slice(1);
  if (line.startsWith('>')) folders.push(rest);
  else if (line.startsWith('+')) count(Number(rest), 1);
  else count(Number(rest), -1);
}

for (const [pid, times] of watched) {
  if (times <= 0) continue;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

// A killed server may write for another moment.
await sleep(200);
for (const folder of folders) {
  try {
    removeTree(folder);
  } catch {
    // What cannot be removed must not keep the others.
  }
}
