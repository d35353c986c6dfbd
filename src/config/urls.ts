import { z } from 'zod';

import { required } from './value-shapes.ts';
import { valueDocs } from './variable-docs.ts';

/** A http or https URL; with a path, as in front of some API servers. A slash at the end is dropped. */
export const url = () =>
  httpUrl(
    (parsed) => isWeb(parsed),
    'must be an http or https URL without user, query, fragment and white space',
  ).register(valueDocs, { looksLike: 'an http or https URL' });

/** `https://host:8200`, without a path: paths are put behind it. A slash at the end is dropped. */
export const origin = () => withoutPath(['http:', 'https:'], 'an http or https URL');

/** As `origin`, and never in the clear. */
export const httpsOrigin = () => withoutPath(['https:'], 'an https URL');

const withoutPath = (protocols: readonly string[], what: string) =>
  httpUrl(
    ({ protocol, pathname }) => protocols.includes(protocol) && pathname === '/',
    `must be ${what} without user, path, query, fragment and white space`,
  ).register(valueDocs, { looksLike: `${what} without path` });

/**
 * In the form that the parser gives it, because that is what was judged: in the text itself, what is put behind it could
 * become a query, a fragment or another path.
 */
const httpUrl = (accepts: (parsed: URL) => boolean, message: string): z.ZodType<string, string> =>
  required().transform((text, context) => {
    const parsed = plainText.test(text) ? URL.parse(text) : null;
    if (parsed !== null && accepts(parsed)) return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** The parser would correct, or overlook, every other one. */
const plainText = /^[a-z]+:\/\/[^\s\\/?#@]+(\/[^\s\\?#]*)?$/i;

const isWeb = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

export const isHttps = (url: string): boolean => URL.parse(url)?.protocol === 'https:';
