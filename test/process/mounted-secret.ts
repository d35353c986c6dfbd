import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MountedSecret extends AsyncDisposable {
  /** Where the key is found. */
  path(key: string): string;
  /** All keys at once, as the kubelet does it: files stay links through `..data`, and only that is swapped. */
  replace(data: Readonly<Record<string, string>>): Promise<void>;
}

/** A Secret as a Pod sees it. */
export async function mountSecret(data: Readonly<Record<string, string>>): Promise<MountedSecret> {
  const folder = await mkdtemp(join(tmpdir(), 'mounted-secret-'));
  let generation = 0;
  const replace = async (next: Readonly<Record<string, string>>): Promise<void> => {
    const name = `..${(generation += 1)}`;
    await mkdir(join(folder, name));
    for (const [key, text] of Object.entries(next))
      await writeFile(join(folder, name, key), text, { mode: 0o600 });
    await symlink(name, join(folder, '..new'));
    await rename(join(folder, '..new'), join(folder, '..data'));
  };
  await replace(data);
  for (const key of Object.keys(data)) await symlink(join('..data', key), join(folder, key));
  return {
    path: (key) => join(folder, key),
    replace,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
