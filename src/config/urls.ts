import type { z } from 'zod';

import { required } from './value-shapes.ts';
import { valueDocs } from './variable-docs.ts';

/** A http or https URL; with a path, as in front of some API servers. */
export const url = () =>
  required()
    .refine(
      (text) => isPlain(URL.parse(text)),
      'must be an http or https URL without user, query and fragment',
    )
    .register(valueDocs, { looksLike: 'an http or https URL' });

/** `https://host:8200`, without a path: paths are put behind it. A slash at the end is dropped. */
export const origin = () => withoutPath(['http:', 'https:'], 'an http or https URL');

/** As `origin`, and never in the clear. */
export const httpsOrigin = () => withoutPath(['https:'], 'an https URL');

const withoutPath = (protocols: readonly string[], what: string): z.ZodType<string, string> =>
  required()
    .refine((text) => {
      const parsed = URL.parse(text);
      return isPlain(parsed) && protocols.includes(parsed.protocol) && parsed.pathname === '/';
    }, `must be ${what} without user, path, query and fragment`)
    .transform((text) => text.replace(/\/$/, ''))
    .register(valueDocs, { looksLike: `${what} without path` });

const isPlain = (parsed: URL | null): parsed is URL =>
  parsed !== null &&
  /^https?:$/.test(parsed.protocol) &&
  [parsed.username, parsed.password, parsed.search, parsed.hash].every((part) => part === '');

export const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';
