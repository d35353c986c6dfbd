import type { TemplateView } from './server.ts';

/**
 * Why databases made from this template cannot be UTF-8; null when they can. PostgreSQL lets the encoding differ from the
 * template's only where the locale fits any encoding (`check_encoding_locale_matches`); it refuses others with 22023.
 */
export function faultOfTemplate(template: TemplateView | null): string | null {
  if (template === null) {
    return 'the server has no database template0, from which databases are made; a database administrator creates it again';
  }
  const { encoding, locale } = template;
  if (encoding === 'UTF8' || locale === 'C' || locale === 'POSIX') return null;
  return `databases of this server cannot be UTF-8, because its template0 has encoding ${encoding} and locale "${locale}"; a database administrator makes template0 anew with a UTF-8 locale, or the Instance gets another server`;
}
