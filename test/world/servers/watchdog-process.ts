import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { removeTree } from './remove-tree.ts';

/*
 * Reads `+<pid>`, `-<pid>` (negative: of a group) and `><folder>`; when its input ends, the processes that are left are
 * killed, and the folders removed. See watchdog.ts.
 */

const watched = new Set<number>();
const folders: string[] = [];

for await (const line of createInterface({ input: process.stdin })) {
  const rest = line.slice(1);
  if (line.startsWith('>')) folders.push(rest);
  else if (line.startsWith('+')) watched.add(Number(rest));
  else watched.delete(Number(rest));
}

for (const pid of watched) {
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
