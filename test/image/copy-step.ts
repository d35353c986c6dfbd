import { chmod, cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** Performs a COPY. `from` and `to` are the roots of what is copied from and into; the target is an absolute path of the image. */
export async function copyStep(step: {
  readonly from: string;
  readonly sources: readonly string[];
  readonly to: string;
  readonly target: string;
  readonly mode: number | undefined;
}): Promise<void> {
  for (const source of step.sources) {
    const path = join(step.from, resolve('/', source));
    const target = join(step.to, step.target);
    const isFolder = (await stat(path)).isDirectory();
    // A folder stands for what is in it; a file keeps its name where the target is written as a folder.
    const place = isFolder || !step.target.endsWith('/') ? target : join(target, basename(source));
    await mkdir(isFolder ? place : dirname(place), { recursive: true });
    // A new file, never a write into the old one, which others may share.
    if (!isFolder) await rm(place, { force: true });
    await cp(path, place, { recursive: isFolder, verbatimSymlinks: true });
    if (step.mode !== undefined) await setMode(place, step.mode);
  }
}

async function setMode(path: string, mode: number): Promise<void> {
  await chmod(path, mode);
  if (!(await stat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await setMode(join(path, name), mode);
}
