import type { TemplateView } from './server.ts';

/** Locales that fit UTF-8: those of any encoding, and those made for it. */
const fitting = /^(?:C|POSIX)$|\.utf-?8(?:@|$)/i;

/**
 * Why databases made from this template cannot be UTF-8; null when they can. PostgreSQL compares the encoding that is
 * asked for with the template's locale (`check_encoding_locale_matches`, 22023), and not with the template's encoding.
 */
export function faultOfTemplate(template: TemplateView | null): string | null {
  if (template === null) {
    return 'the server has no database template0, from which databases are made; a database administrator creates it again';
  }
  const { encoding, locale } = template;
  if (encoding === 'UTF8' || fitting.test(locale)) return null;
  return `databases of this server cannot be UTF-8, because its template0 has encoding ${encoding} and locale "${locale}"; a database administrator makes template0 anew with a UTF-8 locale, or the Instance gets another server`;
}
