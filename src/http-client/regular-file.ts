import { readFileSync, statSync, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** Certificates and tokens are far below. */
const maxBytes = 1024 * 1024;

/**
 * The whole text of a regular file of at most 1 MiB; throws otherwise. Reading a pipe would hold one of the few threads
 * that read files until somebody writes, and some devices never end.
 */
export async function readRegularFile(path: string): Promise<string> {
  refuseOther(await stat(path));
  return readFile(path, 'utf8');
}

/** The same at once, for the start of the process. */
export function readRegularFileSync(path: string): string {
  refuseOther(statSync(path));
  return readFileSync(path, 'utf8');
}

function refuseOther(file: Stats): void {
  if (!file.isFile() || file.size > maxBytes) throw new Error('not a regular file of at most 1 MiB');
}
