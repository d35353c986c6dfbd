import { readFile, stat } from 'node:fs/promises';

/** Certificates and tokens are far below. */
const maxBytes = 1024 * 1024;

/**
 * The whole text of a regular file of at most 1 MiB; throws otherwise. Reading a pipe would hold one of the few threads
 * that read files until somebody writes.
 */
export async function readRegularFile(path: string): Promise<string> {
  const file = await stat(path);
  if (!file.isFile() || file.size > maxBytes) throw new Error('not a regular file of at most 1 MiB');
  return readFile(path, 'utf8');
}
