import { readFile } from 'node:fs/promises';

/** A mounted file that the kubelet replaces from time to time. Reading throws what `readFile` throws. */
export interface MountedFile {
  /** Trimmed text, at most `maxAgeMs` old. */
  text(): Promise<string>;
  /** Reads it again now. */
  reread(): Promise<string>;
}

export const mountedFile = (path: string, maxAgeMs: number, clock: () => number): MountedFile => {
  let remembered: { readonly text: string; readonly at: number } | undefined;

  const reread = async (): Promise<string> => {
    const at = clock();
    const text = (await readFile(path, 'utf8')).trim();
    remembered = { text, at };
    return text;
  };

  return {
    text: async () =>
      remembered === undefined || clock() - remembered.at >= maxAgeMs ? reread() : remembered.text,
    reread,
  };
};
