import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { forget } from './watchdog.ts';

/** A new folder below the system's temporary one. Whoever asks removes it; if we are killed before, it is removed all the same. */
export async function temporaryFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `pgtenancy-${name}-`));
  forget(folder);
  return folder;
}
