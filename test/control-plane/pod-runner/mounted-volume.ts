import { chmod, chown, mkdir, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { VolumeFile } from './volume-files.ts';

/** Owner and group of what is in a volume; only root can give files away. */
export interface VolumeOwner {
  readonly isRoot: boolean;
  /** Every file gets this group, and the group may read it. */
  readonly fsGroup: number | undefined;
}

/**
 * A volume's folder, written as the kubelet writes it: files are links through `..data`, and only that link is swapped,
 * so that a reader finds all of the old or all of the new.
 */
export class MountedVolume {
  readonly folder: string;
  readonly #owner: VolumeOwner;
  #shown: readonly VolumeFile[] | undefined;
  #current: string | undefined;
  #count = 0;

  private constructor(folder: string, owner: VolumeOwner) {
    this.folder = folder;
    this.#owner = owner;
  }

  static async create(folder: string, owner: VolumeOwner): Promise<MountedVolume> {
    await mkdir(folder);
    const volume = new MountedVolume(folder, owner);
    await volume.#give(folder, 0o755);
    return volume;
  }

  /** An empty folder that everybody may write to, as an `emptyDir` is. */
  async open(): Promise<void> {
    await this.#give(this.folder, 0o777);
  }

  /** Shows these files; true when that was a change. */
  async show(files: readonly VolumeFile[]): Promise<boolean> {
    if (this.#shown !== undefined && sameFiles(this.#shown, files)) return false;
    this.#count += 1;
    const next = `..${this.#count}`;
    await mkdir(join(this.folder, next));
    await this.#give(join(this.folder, next), 0o755);
    for (const file of files) await this.#write(next, file);
    await symlink(next, join(this.folder, '..data_tmp'));
    await rename(join(this.folder, '..data_tmp'), join(this.folder, '..data'));
    await this.#link(new Set(files.map(({ path }) => topOf(path))));
    if (this.#current !== undefined) await rm(join(this.folder, this.#current), { recursive: true });
    this.#current = next;
    this.#shown = files;
    return true;
  }

  async #write(folder: string, { path, content, mode, uid }: VolumeFile): Promise<void> {
    const place = join(this.folder, folder, path);
    const parent = dirname(place);
    if (parent !== join(this.folder, folder)) {
      await mkdir(parent, { recursive: true });
      await this.#give(parent, 0o755);
    }
    await writeFile(place, content, { mode: 0o600 });
    const group = this.#owner.fsGroup === undefined ? 0 : 0o440;
    await this.#give(place, mode | group, uid);
  }

  async #link(names: ReadonlySet<string>): Promise<void> {
    const present = (await readdir(this.folder)).filter((name) => !name.startsWith('..'));
    for (const name of present) if (!names.has(name)) await unlink(join(this.folder, name));
    for (const name of names)
      if (!present.includes(name)) await symlink(join('..data', name), join(this.folder, name));
  }

  async #give(path: string, mode: number, uid = 0): Promise<void> {
    if (this.#owner.isRoot) await chown(path, uid, this.#owner.fsGroup ?? 0);
    await chmod(path, mode);
  }
}

const topOf = (path: string): string => path.split('/')[0] ?? path;

const sameFiles = (some: readonly VolumeFile[], others: readonly VolumeFile[]): boolean =>
  some.length === others.length &&
  some.every(({ path, mode, content }, index) => {
    const other = others[index];
    return other?.path === path && other.mode === mode && other.content.equals(content);
  });
