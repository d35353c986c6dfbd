import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { removeTree } from '../world/servers/remove-tree.ts';
import { temporaryFolder } from '../world/servers/temporary-folder.ts';
import { copyBuildContext } from './build-context.ts';
import { buildImage } from './build-image.ts';
import { keepNewest, linkTree, makeReadOnly, ownByRoot } from './file-trees.ts';
import { type Image, imageConfig } from './image.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(project, '.cache/image');
/** The base image's name, which has no default in the Dockerfile. */
const buildArgs = { RUNTIME_IMAGE: 'distroless/nodejs24-debian12:nonroot' };
const keptBuilds = 3;

/**
 * The operator's image, in a folder: built as the Dockerfile says, once for each state of what goes into it. The folder
 * is read-only, may be read by every user, and is not below this repository, whose own packages could otherwise
 * stand in for one that the image lacks. It is removed when this process ends.
 * @throws Error when a step of the Dockerfile fails
 */
export async function imageFolder(): Promise<Image> {
  const workspace = await temporaryFolder('build');
  try {
    const context = join(workspace, 'context');
    await copyBuildContext(project, context);
    const built = join(cache, await fingerprint(context));
    if (!(await exists(built))) await build(context, workspace, built);
    return await place(built);
  } finally {
    removeTree(workspace);
  }
}

/** Everything that the result depends on, the steps' own code included. */
async function fingerprint(context: string): Promise<string> {
  const hash = createHash('sha256').update(process.version).update(JSON.stringify(buildArgs));
  const files = [context, import.meta.dirname].map((folder) => filesIn(folder));
  const paths = [...(await Promise.all(files)).flat(), join(project, 'Dockerfile')];
  for (const path of paths) {
    const { mode } = await stat(path);
    hash.update(`${path.replace(context, '')}\0${mode.toString(8)}\0`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The folder appears whole, by a rename: a build that was interrupted leaves nothing that looks like one. */
async function build(context: string, workspace: string, built: string): Promise<void> {
  const dockerfile = join(project, 'Dockerfile');
  const { root, env, workingDir, user, entrypoint, cmd, labels, ports } = await buildImage({
    ...{ dockerfile, context, buildArgs, workspace, packages: join(cache, 'packages') },
  });
  const draft = `${built}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await linkTree(root, join(draft, 'root'));
  if (process.getuid?.() === 0) await ownByRoot(draft);
  await makeReadOnly(join(draft, 'root'));
  await writeFile(
    join(draft, 'image.json'),
    JSON.stringify({ env, workingDir, user, entrypoint, cmd, labels, ports }),
  );
  await rename(draft, built).catch(async (error: unknown) => {
    removeTree(draft);
    // Another process was faster with the same.
    if (!(await exists(built))) throw error;
  });
  // Images in use are links of their own, so nobody misses what goes here.
  await keepNewest(cache, keptBuilds);
}

async function place(built: string): Promise<Image> {
  const now = new Date();
  await utimes(built, now, now);
  const config = imageConfig.parse(JSON.parse(await readFile(join(built, 'image.json'), 'utf8')));
  const folder = await temporaryFolder(`image-${basename(built)}`);
  process.once('exit', () => removeTree(folder));
  await chmod(folder, 0o755);
  const root = join(folder, 'root');
  await linkTree(join(built, 'root'), root);
  return { ...config, root };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
