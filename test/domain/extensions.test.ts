import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { WishedExtension } from '../../src/api/tenant.ts';
import { judgeExtension } from '../../src/domain/extensions.ts';
import { installed, offer } from './worlds.ts';

type Context = Parameters<typeof judgeExtension>[1];
type Judgement = ReturnType<typeof judgeExtension>;

/** Before anything is installed, on a server that offers these. */
const offered = (offers: Context['offers'], change: Partial<Context> = {}): Context => ({
  offers,
  installed: [],
  listed: ['cube'],
  superuser: true,
  untouched: true,
  database: 'shop_orders',
  ...change,
});

const untrusted = { superuser: true };
const both = { superuser: true, trusted: true };

/** `schema version as`, or the kind, or the reason. */
const shortly = (judgement: Judgement): string => {
  if (judgement.kind === 'bad') return judgement.reason;
  if (judgement.kind !== 'installable') return judgement.kind;
  const { schema = 'none', version = 'default', as } = judgement.install;
  return `${schema} ${version} ${as}`;
};

// prettier-ignore
const table: readonly (readonly [string, Partial<WishedExtension>, Context, string])[] = [
  ['an offered one goes into public in the default version', {}, offered([offer('cube')]), 'public default tenant'],
  ['a schema is taken', { schema: 'ext' }, offered([offer('cube')]), 'ext default tenant'],
  ['a version is taken', { version: '1.0' }, offered([offer('cube')]), 'public 1.0 tenant'],
  ['a version that is not the default is found', { version: '0.9' }, offered([offer('cube'), offer('cube', { version: '0.9', isDefault: false })]), 'public 0.9 tenant'],
  ['without a version only the default counts', {}, offered([offer('cube', { isDefault: false })]), 'ExtensionUnavailable'],
  ['a version that is not offered is unavailable', { version: '2.0' }, offered([offer('cube')]), 'ExtensionUnavailable'],
  ['one that is not offered is unavailable', {}, offered([offer('hstore')]), 'ExtensionUnavailable'],
  ['a trusted one belongs to the tenant', {}, offered([offer('cube', both)]), 'public default tenant'],
  ['an untrusted one is made by the management role', {}, offered([offer('cube', untrusted)]), 'public default management'],
  ['an untrusted one comes too late once the application is in', {}, offered([offer('cube', untrusted)], { untouched: false }), 'RequiresSuperuser'],
  ['an untrusted one is not for a management role without rights', {}, offered([offer('cube', untrusted)], { superuser: false }), 'RequiresSuperuser'],
  ['a trusted one needs no superuser', {}, offered([offer('cube', both)], { superuser: false }), 'public default tenant'],
  ['a trusted one is never too late', {}, offered([offer('cube', both)], { untouched: false }), 'public default tenant'],
  ['a fixed schema is left to the extension', {}, offered([offer('cube', { fixedSchema: 'cube' })]), 'none default tenant'],
  ['a fixed schema may be named', { schema: 'cube' }, offered([offer('cube', { fixedSchema: 'cube' })]), 'none default tenant'],
  ['another than the fixed schema is a mismatch', { schema: 'ext' }, offered([offer('cube', { fixedSchema: 'cube' })]), 'ExtensionMismatch'],
  ['a schema of PostgreSQL is reserved', { schema: 'pg_catalog' }, offered([offer('cube')]), 'NameReserved'],
  ['plpgsql is always there', {}, offered([offer('cube', { requires: ['plpgsql'] })]), 'public default tenant'],
  ['a listed one that it needs comes first', {}, offered([offer('cube', { requires: ['base'] })], { listed: ['cube', 'base'] }), 'later'],
  ['a listed one that it needs is there', {}, offered([offer('cube', { requires: ['base'] })], { listed: ['cube', 'base'], installed: [installed('base')] }), 'public default tenant'],
  ['what it needs must be listed', {}, offered([offer('cube', { requires: ['base'] })]), 'ExtensionRequires'],
  ['what it needs may be there unlisted', {}, offered([offer('cube', { requires: ['base'] })], { installed: [installed('base')] }), 'public default tenant'],
  ['an installed one is installed, offered or not', {}, offered([], { installed: [installed('cube')] }), 'installed'],
  ['an installed one may have any schema when none was asked for', {}, offered([], { installed: [installed('cube', { schema: 'ext', version: '0.1' })] }), 'installed'],
  ['an installed one in the schema and version asked for', { schema: 'ext', version: '1.0' }, offered([], { installed: [installed('cube', { schema: 'ext' })] }), 'installed'],
  ['an installed one in another schema is a mismatch', { schema: 'ext' }, offered([], { installed: [installed('cube')] }), 'ExtensionMismatch'],
  ['an installed one in another version is a mismatch', { version: '2.0' }, offered([], { installed: [installed('cube')] }), 'ExtensionMismatch'],
];

for (const [sentence, wished, context, expected] of table) {
  test(`extension: ${sentence}`, () => {
    assert.equal(shortly(judgeExtension({ name: 'cube', ...wished }, context)), expected);
  });
}

// prettier-ignore
const messages: readonly (readonly [string, Partial<WishedExtension>, Context, RegExp])[] = [
  ['names the version that is missing', { version: '2.0' }, offered([]), /does not offer extension "cube" in version 2\.0; a listed extension cannot be changed, so ask/],
  ['names no version where none was asked for', {}, offered([]), /does not offer extension "cube"; a listed extension cannot be changed, so ask/],
  ['has the SQL for an administrator', {}, offered([offer('cube', untrusted)], { untouched: false }), /in database "shop_orders": create extension "cube" with schema "public"$/],
  ['has the SQL with the schema asked for', { schema: 'ext' }, offered([offer('cube', untrusted)], { untouched: false }), /create extension "cube" with schema "ext"$/],
  ['has the SQL without a schema where it is fixed', {}, offered([offer('cube', { ...untrusted, fixedSchema: 'cube' })], { untouched: false }), /create extension "cube"$/],
  ['says why the management role cannot', {}, offered([offer('cube', untrusted)], { superuser: false }), /needs a superuser, and role and login of the Instance are not both superusers; .* in database "shop_orders": create extension "cube" with schema "public"$/],
  ['says how to get there before there is a database', {}, offered([offer('cube', untrusted)], { superuser: false, database: undefined }), /create another Tenant without it, ask .*: create extension "cube" with schema "public", and list it then$/],
  ['names all that is not listed', {}, offered([offer('cube', { requires: ['a', 'b', 'plpgsql'] })]), /needs "a", "b"; list that/],
];

for (const [sentence, wished, context, expected] of messages) {
  test(`extension: the message ${sentence}`, () => {
    const judgement = judgeExtension({ name: 'cube', ...wished }, context);
    assert.ok(judgement.kind === 'bad');
    assert.match(judgement.message, expected);
  });
}
