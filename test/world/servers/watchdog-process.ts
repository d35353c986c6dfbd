import { createInterface } from 'node:readline';

/* Reads `+<pid>` and `-<pid>`; when its input ends, the processes that are left are killed. See watchdog.ts. */

const watched = new Set<number>();

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) watched.add(pid);
  else watched.delete(pid);
}

for (const pid of watched) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
