import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { removeTree } from '../world/servers/remove-tree.ts';
import { keepNewest, linkTree } from './file-trees.ts';
import type { Stage } from './stage.ts';

/** One for the compiler and everything else, one for production. */
const keptResults = 2;

/**
 * What a stage is after `npm ci`, kept as an engine keeps a layer: nearly all of a build's time goes there, and the same
 * files give the same packages. The files are shared: no later step may write into one that is there (COPY does not).
 */
export async function afterNpmCi(
  stage: Stage,
  { command, folder }: { readonly command: string; readonly folder: string },
  run: () => Promise<void>,
): Promise<void> {
  const kept = join(folder, await fingerprint(stage, command));
  if (await exists(kept)) {
    const now = new Date();
    await utimes(kept, now, now);
    await rm(stage.root, { recursive: true });
    await linkTree(kept, stage.root);
    return;
  }
  await run();
  await mkdir(folder, { recursive: true });
  const draft = `${kept}.${process.pid}`;
  await linkTree(stage.root, draft);
  // Another process may have been faster with the same.
  await rename(draft, kept).catch(() => removeTree(draft));
  await keepNewest(folder, keptResults);
}

async function fingerprint({ root, env, args }: Stage, command: string): Promise<string> {
  const hash = createHash('sha256').update(
    JSON.stringify([process.version, process.arch, command, env, args]),
  );
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) hash.update(`\0${path.slice(root.length)}\0`).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
