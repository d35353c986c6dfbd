import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { readRegularFile } from '../http-client/regular-file.ts';

/** What files hold together, or why it cannot be used (without repeating any of it). */
export type Reading<T> = { readonly value: T } | { readonly fault: string };

interface Options<T> {
  readonly paths: readonly string[];
  /** Makes sense of the texts, in the order of the paths. */
  readonly read: (texts: readonly string[]) => Reading<T>;
  /** Milliseconds between two looks. */
  readonly everyMs?: number;
}

interface Listener<T> {
  /** Hears of everything new that can be read. What it throws is a fault. */
  readonly onChange: (value: T) => void;
  /** Hears once of everything new that cannot: what was good before stays in use. */
  readonly onFault: (fault: string) => void;
}

export interface WatchedFiles<T> {
  /** What they held at first. */
  readonly value: T;
  /** Looks at them from now on. The process may end whenever it likes. */
  follow(listener: Listener<T>): void;
  stop(): void;
}

/**
 * Files that are looked at again and again, because the kubelet replaces a mounted Secret by swapping a link in the
 * folder above: whoever watches the file itself sees nothing. Files that belong together are believed when two looks in
 * a row find the same. Throws Error when they cannot be used to begin with.
 */
export async function watchedFiles<T>({
  paths,
  read,
  everyMs = 5_000,
}: Options<T>): Promise<WatchedFiles<T>> {
  let seen = await lookAt(paths);
  const first = readingOf(seen, read);
  if ('fault' in first) throw new Error(`${paths.join(' and ')}: ${first.fault}`);
  let timer: NodeJS.Timeout | undefined;

  const look = async ({ onChange, onFault }: Listener<T>): Promise<void> => {
    const now = await lookAt(paths);
    if (now.kind === 'changing' || now.digest === seen.digest) return;
    seen = now;
    const reading = readingOf(now, read);
    if ('fault' in reading) {
      onFault(reading.fault);
      return;
    }
    try {
      onChange(reading.value);
    } catch {
      onFault('cannot be put to use');
    }
  };
  const follow = (listener: Listener<T>): void => {
    timer = setTimeout(() => {
      void look(listener).finally(() => {
        if (timer !== undefined) follow(listener);
      });
    }, everyMs).unref();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return { value: first.value, follow, stop };
}

type Look =
  | { readonly kind: 'texts'; readonly texts: readonly string[]; readonly digest: string }
  | { readonly kind: 'changing' | 'unreadable'; readonly digest: string };

async function lookAt(paths: readonly string[]): Promise<Look> {
  try {
    const before = await textsOf(paths);
    await sleep(20);
    const texts = await textsOf(paths);
    const digest = digestOf(texts);
    return digest === digestOf(before) ? { kind: 'texts', texts, digest } : { kind: 'changing', digest: '' };
  } catch {
    return { kind: 'unreadable', digest: '' };
  }
}

/** Throws when one cannot be read, or is nothing that belongs there. */
const textsOf = (paths: readonly string[]): Promise<readonly string[]> =>
  Promise.all(paths.map(readRegularFile));

/** Kept in place of the texts, which may be secret. */
const digestOf = (texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex');

const readingOf = <T>(look: Look, read: Options<T>['read']): Reading<T> =>
  look.kind === 'texts' ? read(look.texts) : { fault: 'cannot be read' };
