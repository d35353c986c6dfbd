import { z } from 'zod';

import { readHookTokens } from '../hook-credentials/hook-tokens.ts';
import { isHeaderToken } from '../http-client/header-token.ts';
import { parsedPrivateKey, readBundle } from '../pem.ts';
import { valueDocs } from './variable-docs.ts';

/** The whole text of a file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

/** A variable that names a file, with what was in it when the process started. */
export interface NamedFile {
  readonly path: string;
  readonly text: string;
}

/** What keeps a text from being used, to be put behind the name of the variable; undefined when nothing does. */
type FaultOf = (text: string) => string | undefined;

/** What a file must hold. */
interface Content {
  /** In words, for the documentation. */
  readonly holds: string;
  readonly faultOf: FaultOf;
}

/** The variable names a file; every one is read once at the start, so that a wrong path is told at once. */
export const namedFile = (readFile: ReadFile, content: Content) =>
  z
    .string()
    .transform((path, context): NamedFile => {
      const read = fileAt(path, readFile, content);
      if (read.fault === undefined) return read.file;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    })
    .register(valueDocs, { looksLike: `path of a file with ${content.holds}` })
    .optional();

type Read =
  { readonly file: NamedFile; readonly fault?: never } | { readonly file?: never; readonly fault: string };

export function fileAt(path: string, readFile: ReadFile, { faultOf }: Content): Read {
  const text = textOf(path, readFile);
  if (text === undefined)
    return { fault: 'names a file that cannot be read: correct the path, or mount the file' };
  if (text.trim() === '') return { fault: 'names a file that is empty' };
  const fault = faultOf(text);
  return fault === undefined ? { file: { path, text } } : { fault: `names a file that ${fault}` };
}

const textOf = (path: string, readFile: ReadFile): string | undefined => {
  try {
    return readFile(path);
  } catch {
    return undefined;
  }
};

export const certificates: Content = {
  holds: 'PEM certificates',
  faultOf: (text) => {
    const read = readBundle(text);
    if (read.kind === 'empty') return 'holds no PEM certificate';
    return read.kind === 'whole'
      ? undefined
      : `cannot be used: its certificate ${read.number} cannot be read`;
  },
};

export const privateKey: Content = {
  holds: 'a PEM private key',
  faultOf: (text) =>
    parsedPrivateKey(text) === undefined ? 'holds no PEM private key (without passphrase)' : undefined,
};

/** One line for a request's header; what editors put around it (a newline, a byte order mark) does not count. */
export const token: Content = {
  holds: 'a token',
  faultOf: (text) =>
    isHeaderToken(text.trim()) ? undefined : 'does not hold one token of printable ASCII without spaces',
};

/** For requests to the hook: one token, or two. */
export const hookTokens: Content = {
  holds: 'one token, or two on a line each',
  faultOf: (text) => {
    const read = readHookTokens(text);
    return 'fault' in read ? read.fault : undefined;
  },
};
