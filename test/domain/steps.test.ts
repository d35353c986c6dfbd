import assert from 'node:assert/strict';
import { test } from 'node:test';

import { known } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import type { TenantStep } from '../../src/domain/steps.ts';
import type { RoleView } from '../../src/domain/catalog.ts';
import { decided } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, live, ready, record } from './worlds.ts';

const claimed: TenantFacts = world.withRow(
  world.withoutRole(world.withoutDatabase(ready({ credential: known({ kind: 'absent' }) }))),
  { roleOid: null, databaseOid: null },
);
const elsewhere = { host: 'new.example.com', port: 6432 };
const moved = { ...record, host: 'new.example.com', hostaddr: '', port: '6432' };
const extension = { name: 'cube', schema: 'ext', version: '1.0' };
const withExtension = world.withSession(world.withWish(ready(), { extensions: [extension] }), {
  ...world.proven,
  offers: [world.offer('cube')],
});

const steps: readonly (readonly [sentence: string, facts: TenantFacts, step: TenantStep])[] = [
  ['a first claim claims the names', fresh(), { kind: 'ClaimNames' }],
  [
    'the first record is the first version, with a new password',
    claimed,
    { kind: 'WriteCredential', cas: 0, record, password: 'new' },
  ],
  ['a role that is gone is made again', world.withoutRole(ready()), { kind: 'CreateRole' }],
  [
    'a database is made for a role that is there',
    world.withRow(world.withoutDatabase(ready()), { databaseOid: null }),
    { kind: 'CreateDatabase' },
  ],
  [
    'a database that is not right is opened',
    world.withDatabase(ready(), { publicConnect: true }),
    { kind: 'OpenDatabase' },
  ],
  [
    'a changed endpoint keeps the password',
    world.withInstance(ready(), { endpoint: elsewhere }),
    { kind: 'WriteCredential', cas: 1, record: moved, password: 'keep' },
  ],
  [
    'a changed CA keeps the password',
    world.withInstance(ready(), { certificates: 'NEW', sslmode: 'verify-ca' }),
    {
      kind: 'WriteCredential',
      cas: 1,
      record: { ...record, certificates: 'NEW', sslmode: 'verify-ca' },
      password: 'keep',
    },
  ],
  [
    'a rotation makes a new password, and takes a changed endpoint along',
    world.withWish(world.withInstance(ready(), { endpoint: elsewhere }), { rotation: 'may' }),
    { kind: 'WriteCredential', cas: 1, record: { ...moved, rotation: 'may' }, password: 'new' },
  ],
  [
    'a rotation that is no longer asked for keeps the password, and the record goes on naming it',
    world.withRecord(world.withInstance(ready(), { endpoint: elsewhere }), { rotation: 'may' }),
    { kind: 'WriteCredential', cas: 1, record: { ...moved, rotation: 'may' }, password: 'keep' },
  ],
  [
    'a changed password is set again',
    world.withSession(ready(), { kind: 'rejected', afterReset: false }),
    { kind: 'SetPassword' },
  ],
  [
    'a missing extension is installed as it was asked for',
    withExtension,
    { kind: 'InstallExtension', extension: { ...extension, as: 'tenant' } },
  ],
  [
    'a deleted ExternalSecret is made again',
    ready({ child: known({ kind: 'absent' }) }),
    { kind: 'PublishExternalSecret' },
  ],
  [
    'an ExternalSecret that would cut the record down to one field is put right',
    world.withObject(ready(), {
      spec: {
        ...world.externalSecret().spec,
        dataFrom: [{ extract: { key: world.settings.credentialKey, version: '1', property: 'password' } }],
      },
    }),
    { kind: 'PublishExternalSecret' },
  ],
];

for (const [sentence, facts, step] of steps) {
  test(`step: ${sentence}`, () => assert.deepEqual(decided(facts).step, step));
}

for (const field of Object.keys(record).filter((name) => name !== 'rotation')) {
  test(`step: a record that differs in ${field} alone is brought up to date with the same password`, () => {
    const { step } = decided(world.withRecord(ready(), { [field]: 'stale' }));
    assert.deepEqual(step, { kind: 'WriteCredential', cas: 1, record, password: 'keep' });
  });
}

test('step: the row decides about the names in the record, whatever the wish derives', () => {
  const facts = world.withWish(claimed, { databaseName: 'derived', roleName: 'derived' });
  const { step } = decided(facts);
  assert.ok(step?.kind === 'WriteCredential');
  assert.deepEqual([step.record.database, step.record.username], ['shop_orders', 'shop_orders']);
});

const repairs: readonly (readonly [change: Partial<RoleView>, repair: object])[] = [
  [{ canLogin: false }, { login: true }],
  [{ inherit: false }, { inherit: true }],
  [{ superuser: true }, { superuser: false }],
  [{ createDb: true }, { createDb: false }],
  [{ createRole: true }, { createRole: false }],
  [{ replication: true }, { replication: false }],
  [{ bypassRls: true }, { bypassRls: false }],
  [{ connectionLimit: 0 }, { connectionLimit: -1 }],
  [{ expires: true }, { neverExpires: true }],
  [
    { createDb: true, superuser: true },
    { superuser: false, createDb: false },
  ],
];

for (const [change, repair] of repairs) {
  test(`step: a role with ${JSON.stringify(change)} is repaired, and nothing else of it is touched`, () =>
    assert.deepEqual(decided(world.withRole(ready(), change)).step, { kind: 'RepairRole', repair }));
}

test('step: a grant that was left is taken back beside, unless another step does it or it is in use', () => {
  const left = (facts: TenantFacts) => decided(world.withRole(facts, { selfGranted: true })).step;
  const takenBack = { kind: 'ReturnMembership' };
  assert.deepEqual(left(ready()), takenBack);
  const notMade = world.withRow(world.withoutDatabase(ready()), { databaseOid: null });
  assert.deepEqual(left(notMade), { kind: 'CreateDatabase' });
  assert.equal(left(world.withCatalog(notMade, { inFlight: 'create' })), null);
  assert.deepEqual(left(world.withoutDatabase(ready())), takenBack);
});

test('step: the connection limit that the Tenant asks for is enforced', () => {
  const { step } = decided(world.withWish(ready(), { connectionLimit: 20 }));
  assert.deepEqual(step, { kind: 'RepairRole', repair: { connectionLimit: 20 } });
});

test('step: what only a superuser may install goes first, while nothing of the tenant is there', () => {
  const offers = [world.offer('cube'), world.offer('pageinspect', { superuser: true, trusted: false })];
  const wished = world.withWish(ready(), { extensions: [{ name: 'cube' }, { name: 'pageinspect' }] });
  const facts = world.withSession({ ...wished, letIn: false }, { ...world.proven, offers });
  const { step } = decided(facts);
  assert.equal(step?.kind === 'InstallExtension' ? step.extension.name : step?.kind, 'pageinspect');
});

test('step: extensions go in the order in which they need each other', () => {
  const offers = [world.offer('earthdistance', { requires: ['cube'] }), world.offer('cube')];
  const facts = world.withWish(ready(), { extensions: [{ name: 'earthdistance' }, { name: 'cube' }] });
  const next = (installed: string[]) => {
    const found = installed.map((name) => world.installed(name));
    const { step } = decided(world.withSession(facts, { ...world.proven, offers, installed: found }));
    return step?.kind === 'InstallExtension' ? step.extension.name : null;
  };
  assert.deepEqual(
    [next([]), next(['cube']), next(['cube', 'earthdistance'])],
    ['cube', 'earthdistance', null],
  );
});

const live2 = { ...live, version: 2, createdAt: '2026-02-02T00:00:00Z' };

test('step: after a rotation the old password is replaced before the ExternalSecret moves on', () => {
  const rotated = { ...live2, record: { ...record, rotation: 'may' } };
  const facts = world.withWish(world.withCredential(ready(), rotated), { rotation: 'may' });
  const stepAfter = (session: TenantFacts['session']) => decided({ ...facts, session }).step?.kind;
  assert.equal(stepAfter(known({ kind: 'rejected', afterReset: false })), 'SetPassword');
  assert.equal(stepAfter(known(world.proven)), 'PublishExternalSecret');
  const moved = world.withChild(facts, { kind: 'ours', object: world.externalSecret(live2) });
  assert.equal(decided(moved).first, null);
});
