import { readRegularFile } from './regular-file.ts';

/** A mounted file that the kubelet replaces from time to time. */
export interface MountedFile {
  /** Trimmed text, at most `maxAgeMs` old while the file can be used, else the last one that could be. */
  text(): Promise<string>;
  /** Reads it again now. */
  reread(): Promise<string>;
}

interface Options {
  readonly maxAgeMs: number;
  readonly clock: () => number;
  /** A file that is read while it is written may be empty, or half of itself: what is no use is never remembered. */
  readonly usable: (text: string) => boolean;
}

/** The text is empty when nothing that could be used was ever read. */
export const mountedFile = (path: string, { maxAgeMs, clock, usable }: Options): MountedFile => {
  let remembered: { readonly text: string; readonly at: number } | undefined;

  const reread = async (): Promise<string> => {
    const at = clock();
    const text = (await readRegularFile(path).catch(() => '')).trim();
    if (usable(text)) remembered = { text, at };
    return remembered?.text ?? '';
  };

  return {
    text: async () =>
      remembered === undefined || clock() - remembered.at >= maxAgeMs ? reread() : remembered.text,
    reread,
  };
};
