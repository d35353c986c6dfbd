import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Copies what `.dockerignore` lets into the build from `project` into the new folder `target`. Its rules are `*` first,
 * then names that come back (`!src/`), then folders below these that stay out: enough to say no by default.
 * @throws Error for any other rule
 */
export async function copyBuildContext(project: string, target: string): Promise<void> {
  const { wanted, unwanted } = rulesOf(await readFile(join(project, '.dockerignore'), 'utf8'));
  await mkdir(target);
  for (const name of wanted) {
    const source = join(project, name);
    const isFolder = (await stat(source)).isDirectory();
    const filter = (path: string): boolean => !unwanted.some((out) => path === join(project, out));
    if (basename(name) !== name) await mkdir(join(target, dirname(name)), { recursive: true });
    await cp(source, join(target, name), { recursive: isFolder, filter, verbatimSymlinks: true });
  }
}

export function rulesOf(text: string): { wanted: readonly string[]; unwanted: readonly string[] } {
  const lines = text.split('\n').map((line) => line.trim());
  const [first, ...rules] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*')
    throw new Error('.dockerignore: its first rule must be `*`, so that nothing gets in unnamed');
  const firstOut = rules.findIndex((rule) => !rule.startsWith('!'));
  const end = firstOut === -1 ? rules.length : firstOut;
  const wanted = rules.slice(0, end).map((rule) => rule.slice(1));
  const unwanted = rules.slice(end);
  for (const name of [...wanted, ...unwanted]) {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(name))
      throw new Error(`.dockerignore: the suite does not apply \`${name}\``);
  }
  return { wanted: wanted.map(withoutSlash), unwanted: unwanted.map(withoutSlash) };
}

const withoutSlash = (name: string): string => name.replace(/\/$/, '');
