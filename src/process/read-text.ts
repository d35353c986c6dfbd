import { readFileSync, statSync } from 'node:fs';

/** Certificates and tokens are far below. */
const maxBytes = 1024 * 1024;

/**
 * The whole text of a regular file of at most 1 MiB; throws otherwise. Reading a pipe would wait for a writer for ever,
 * and some devices never end.
 */
export function readText(path: string): string {
  const file = statSync(path);
  if (!file.isFile() || file.size > maxBytes) throw new Error('not a regular file of at most 1 MiB');
  return readFileSync(path, 'utf8');
}
