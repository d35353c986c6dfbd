import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes a tree, also a read-only one. Synchronous, so that it can be done when the process ends. */
export function removeTree(folder: string): void {
  const unlock = (path: string): void => {
    if (!lstatSync(path).isDirectory()) return;
    chmodSync(path, 0o700);
    for (const name of readdirSync(path)) unlock(join(path, name));
  };
  try {
    unlock(folder);
  } catch {
    // Not there, or partly not: what is there is removed.
  }
  rmSync(folder, { recursive: true, force: true });
}
