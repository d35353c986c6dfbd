import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faultOfTemplate } from '../../src/domain/template.ts';

const fits: readonly (readonly [encoding: string, locale: string])[] = [
  ['UTF8', 'en_US.UTF-8'],
  ['UTF8', 'C'],
  ['SQL_ASCII', 'C'],
  ['LATIN1', 'POSIX'],
  ['SQL_ASCII', 'en_US.UTF-8'],
  ['SQL_ASCII', 'de_DE.utf8@euro'],
];

for (const [encoding, locale] of fits) {
  test(`databases from a template0 with encoding ${encoding} and locale ${locale} can be UTF-8`, () => {
    assert.equal(faultOfTemplate({ encoding, locale }), null);
  });
}

test('a locale of another encoding allows none, and the message says who does what', () => {
  assert.match(
    faultOfTemplate({ encoding: 'LATIN1', locale: 'de_DE.ISO-8859-1' }) ?? '',
    /encoding LATIN1 and locale "de_DE\.ISO-8859-1"; a database administrator .*, or the Instance gets another server$/,
  );
});

test('without template0 there is nothing to make databases from', () => {
  assert.match(faultOfTemplate(null) ?? '', /no database template0/);
});
