import assert from 'node:assert/strict';
import { test } from 'node:test';

import { unknown } from '../../src/domain/fact.ts';
import { rightsSuffice, sameServer } from '../../src/domain/instance-checks.ts';
import { missingRights } from '../../src/domain/missing-rights.ts';
import type { ServerView } from '../../src/domain/server.ts';
import { readyInstance, serverView, withServer } from './worlds.ts';

const limited: ServerView = { ...serverView, superuser: false };
const noRegistry = { exists: false, foreign: [] };
const closed = { name: 'pgtenancy', create: false };

const table: readonly (readonly [sentence: string, view: Partial<ServerView>, sql: readonly string[]])[] = [
  ['nothing where there is everything', {}, []],
  ['CREATEDB', { createDb: false }, ['alter role "operator" createdb;']],
  ['CREATEROLE', { createRole: false }, ['alter role "operator" createrole;']],
  [
    'INHERIT before version 16',
    { inherits: false, versionNumber: 150_010 },
    ['alter role "operator" inherit;'],
  ],
  ['no INHERIT from version 16 on', { inherits: false, versionNumber: 160_000 }, []],
  [
    'CREATE on the management database for a first registry',
    { managementDatabase: closed, registry: noRegistry },
    ['grant create on database "pgtenancy" to "operator";'],
  ],
  ['no CREATE once there is a registry', { managementDatabase: closed }, []],
  [
    'a registry that belongs to somebody else',
    { registry: { exists: true, foreign: ['schema pgtenancy', 'table pgtenancy.meta'] } },
    ['alter schema pgtenancy owner to "operator";', 'alter table pgtenancy.meta owner to "operator";'],
  ],
  [
    'what everybody may do unless it was revoked',
    { denied: ['select on pg_catalog.pg_stat_activity'] },
    ['grant select on pg_catalog.pg_stat_activity to "operator";'],
  ],
  [
    'all of it at once, with names that need care',
    {
      currentUser: 'the "operator"',
      createDb: false,
      createRole: false,
      managementDatabase: { name: 'Mgmt', create: false },
      registry: noRegistry,
    },
    [
      'alter role "the ""operator""" createdb createrole;',
      'grant create on database "Mgmt" to "the ""operator""";',
    ],
  ],
];

for (const [sentence, change, expected] of table) {
  test(`missing rights: ${sentence}`, () =>
    assert.deepEqual(missingRights({ ...limited, ...change }), expected));
}

const nothing: Partial<ServerView> = {
  createDb: false,
  createRole: false,
  managementDatabase: closed,
  registry: { exists: true, foreign: ['schema pgtenancy'] },
};

test('missing rights: a superuser lacks none, whatever its attributes and whosesoever the registry is', () => {
  assert.deepEqual(missingRights({ ...serverView, ...nothing }), []);
});

test('missing rights: the condition names all of them in one message that can be pasted', () => {
  const verdict = rightsSuffice(withServer(readyInstance(), { superuser: false, ...nothing }));
  assert.deepEqual(verdict, {
    kind: 'wait',
    reason: 'RightsMissing',
    message:
      'management role "operator" lacks rights; a superuser runs, in database "pgtenancy": alter role "operator" createdb createrole; alter schema pgtenancy owner to "operator";',
  });
});

test('missing rights: a registry that cannot be read is no question of another server where rights are missing', () => {
  const registry = unknown('PermissionDenied', 'permission denied for schema pgtenancy');
  const lacking = { ...withServer(readyInstance(), { superuser: false, ...nothing }), registry };
  assert.equal(sameServer(lacking).kind, 'holds');
  assert.equal(
    sameServer({ ...withServer(readyInstance(), { superuser: false }), registry }).kind,
    'unknown',
  );
});
