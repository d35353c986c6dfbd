import {
  chmod,
  copyFile,
  link,
  lchown,
  lstat,
  mkdir,
  readdir,
  readlink,
  stat,
  symlink,
} from 'node:fs/promises';
import { join } from 'node:path';

import { removeTree } from '../world/servers/remove-tree.ts';

/** Takes the right to write from everybody, in all that is below, as `chmod -R a-w`. */
export async function makeReadOnly(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadOnly(path);
    else if (entry.isFile()) await chmod(path, (await lstat(path)).mode & 0o555);
  }
  await chmod(folder, (await lstat(folder)).mode & 0o555);
}

/** The same tree once more, with the same modes and owners; hard links cost neither time nor disk, where they are possible. */
export async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
  await chmod(to, (await lstat(from)).mode & 0o777);
}

/** Makes root the owner of all that is below, as in an image; only root can. */
export async function ownByRoot(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), 0, 0);
  await lchown(folder, 0, 0);
}

/** Removes all but the newest of the results in a folder, which are named by hashes. */
export async function keepNewest(folder: string, count: number): Promise<void> {
  const results = (await readdir(folder)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const dated = await Promise.all(
    results.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  for (const { path } of dated.sort((a, b) => b.at - a.at).slice(count)) removeTree(path);
}
