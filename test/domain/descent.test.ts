import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import { decideDescent } from '../../src/domain/decide.ts';
import { dropRole, takeDatabaseDown } from '../../src/domain/removal.ts';
import type { Reason } from '../../src/domain/reasons.ts';
import { confirmToken } from '../../src/domain/confirm.ts';
import type { DescentStep } from '../../src/domain/steps.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type { DescentFacts } from '../../src/domain/facts.ts';
import {
  answerOf,
  conditionOf,
  decidedDown,
  earlier,
  later,
  recordedAt,
  saidOf,
  statusDownOf,
  statusOf,
  type Answer,
} from './answers.ts';
import * as world from './worlds.ts';
import { leaving, live, lost } from './worlds.ts';

/* What is left after each step of a deletion, top down. */
const everything = leaving('Delete');
const withdrawn = world.withChild(everything, { kind: 'absent' });
const closed = world.withCatalog(world.withDatabase(withdrawn, { allowConnections: false }), {
  role: { registered: { ...world.role, canLogin: false }, named: world.role },
});
const aside = world.withTombstone(closed);
const dropped = world.withoutDatabase(closed);
const roleless = world.withRow(world.withoutRole(dropped), { roleOid: null, databaseOid: null });
const recordless = world.withCredential(roleless, { kind: 'absent' });
const nothing = world.withCatalog(recordless, { row: null });

const going = world.withObject(everything, {
  metadata: { ...world.externalSecret().metadata, deletionTimestamp: earlier },
});
const orphaned = world.withChild(everything, { kind: 'foreign', orphaned: true });
const absentInstance = { instance: known({ kind: 'absent' } as const) };
const noInstance = unknown('InstanceNotFound', 'PostgreSQLInstance "main" does not exist');
/** The Instance never existed, so nothing was ever claimed. */
const neverBegun = leaving('Delete', {
  ...absentInstance,
  catalog: noInstance,
  credential: known({ kind: 'absent' }),
  everClaimed: false,
});
const moved = world.withRow(everything, { instanceUid: 'uid-gone' });
const token = (reason: Reason, ...lost: string[]) => confirmToken(reason, lost);
const rowless = world.withCatalog(withdrawn, { row: null });
const blocked = (change: object) =>
  leaving('Delete', { blockers: known({ ...world.noBlockers, ...change }) });
/** Another Tenant has the names: there is no row of ours, and what bears the names is not ours. */
const loser = world.withCredential(
  world.withCatalog(withdrawn, { row: null, holders: [{ ...world.row, tenantUid: 'uid-other' }] }),
  { kind: 'absent' },
);

type Expected = 'finished' | Answer | `step ${Reason} ${DescentStep['kind']}`;
type Row = readonly [
  sentence: string,
  facts: DescentFacts,
  phase: TenantPhase,
  expected: Expected,
  message?: RegExp,
];

// prettier-ignore
const rows: readonly Row[] = [
  ['the ExternalSecret goes first', everything, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['it is waited for', going, 'ExternalSecretCreated', 'wait Deleting', /waiting for ExternalSecret "orders-postgresql"/],
  ['a foreign ExternalSecret is no business of ours', world.withChild(everything, { kind: 'foreign' }), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['then the database is closed', withdrawn, 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['a database that was never opened is closed all the same', world.withDatabase(withdrawn, { allowConnections: false }), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['a template is closed first', world.withDatabase(closed, { allowConnections: false, isTemplate: true }), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['a closed one is moved aside', closed, 'DatabaseCreated', 'step Deleting TombstoneDatabase'],
  ['a closed one whose role is gone is moved aside', world.withCatalog(closed, { role: { registered: null, named: null } }), 'DatabaseCreated', 'step Deleting TombstoneDatabase'],
  ['one whose drop was interrupted is never altered, only moved and dropped', world.withDatabase(withdrawn, { connectionLimit: -2 }), 'DatabaseCreated', 'step Deleting TombstoneDatabase'],
  ['a database that our role owns under our name is ours', world.withNamedDatabase(withdrawn, {}), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['one that somebody else owns under our name is not', world.withNamedDatabase(withdrawn, { ownerOid: '90000' }), 'RoleCreated', 'step Deleting DropRole'],
  ['one that is aside is dropped', aside, 'DatabaseCreated', 'step Deleting DropDatabase'],
  ['a drop that is running is waited for', world.withCatalog(aside, { inFlight: 'drop' }), 'DatabaseCreated', 'wait DatabaseBusy', /drop database/],
  ['a session that claims to drop what is not aside yet changes nothing', world.withCatalog(withdrawn, { inFlight: 'drop' }), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['a session that claims to drop what is gone already changes nothing', world.withCatalog(dropped, { inFlight: 'drop' }), 'RoleCreated', 'step Deleting DropRole'],
  ['a create that is running is waited for', world.withCatalog(dropped, { inFlight: 'create' }), 'DatabaseCreated', 'wait DatabaseBusy', /create database/],
  ['then the role goes', dropped, 'RoleCreated', 'step Deleting DropRole'],
  ['then the record', roleless, 'CredentialCreated', 'step Deleting DeleteCredential'],
  ['a deleted version is still a history', world.withCredential(roleless, { kind: 'deleted', version: 3 }), 'CredentialCreated', 'step Deleting DeleteCredential'],
  ['a role of our name that is not registered stays, and stops everything', world.withCatalog(roleless, { role: { registered: null, named: world.role } }), 'CredentialCreated', 'wait Conflict', /is not registered for this Tenant any more/],
  ['the names go last', recordless, 'Planned', 'step Deleting ReleaseNames'],
  ['a record without a row waits for the word of a person', rowless, 'CredentialCreated', 'wait RegistryLost', /to delete the record and leave whatever is in PostgreSQL, annotate this object with pgtenancy\.io\/confirm=[0-9a-f]{10}\. To keep/],
  ['a deleted record without a row waits as well', world.withCredential(rowless, { kind: 'deleted', version: 1 }), 'CredentialCreated', 'wait RegistryLost'],
  ['with the word of a person the record goes', world.withWish(rowless, { confirm: token('RegistryLost', 'uid-tenant', '1', 'delete') }), 'CredentialCreated', 'step RegistryLost DeleteCredential'],
  ['the word to claim the names again is no word to delete the record', world.withWish(rowless, { confirm: token('RegistryLost', 'uid-tenant', '1') }), 'CredentialCreated', 'wait RegistryLost'],
  ['with nothing left it is finished', nothing, 'Planned', 'finished'],
  ['whoever lost a name to another Tenant owns nothing', loser, 'Planned', 'finished'],
  ['another server cannot say that nothing is left', world.withCatalog(nothing, { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged'],
  ['nor can it where its registry is whole', world.withInstance(nothing, { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged'],
  ['its silence about a row asks for no word to delete the record', world.withInstance(rowless, { systemIdentifier: '1' }), 'Planned', 'wait SystemIdentifierChanged', /nothing is changed on it.*Retain$/],
  ['an Instance that never was', world.withChild(neverBegun, { kind: 'absent' }), 'Planned', 'finished'],
  ['an Instance that was there when names were claimed is waited for', world.withChild({ ...neverBegun, everClaimed: true }, { kind: 'absent' }), 'Planned', 'wait InstanceNotFound', /deletionPolicy to Retain$/],
  ['an Instance that never was, with a record', { ...neverBegun, credential: known({ kind: 'deleted', version: 1 }) }, 'ExternalSecretCreated', 'wait InstanceNotFound'],
  ['an Instance that never was, with an ExternalSecret', neverBegun, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['an Instance that is gone is waited for', leaving('Delete', { ...absentInstance, catalog: noInstance }), 'ExternalSecretCreated', 'wait InstanceNotFound', /"main" does not exist.*deletionPolicy to Retain$/],
  ['an Instance that is gone is waited for, whatever the catalog says', leaving('Delete', absentInstance), 'ExternalSecretCreated', 'wait InstanceNotFound'],
  ['an Instance that cannot be read proves nothing', leaving('Delete', { instance: lost }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['a server that cannot be reached is waited for', leaving('Delete', { catalog: lost }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['being overdue hurries no deletion', leaving('Delete', { catalog: lost, overdue: true }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['what may block is not known', leaving('Delete', { blockers: lost }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['an ExternalSecret that cannot be seen', { ...withdrawn, child: lost }, 'Planned', 'unknown ServerError'],
  ['a record that cannot be seen', { ...roleless, credential: lost }, 'Planned', 'unknown ServerError'],
  ['another server answers', world.withCatalog(everything, { systemIdentifier: '1' }), 'ExternalSecretCreated', 'wait SystemIdentifierChanged'],
  ['another server answers and has no row of ours', world.withCatalog(roleless, { systemIdentifier: '1', row: null }), 'Planned', 'wait SystemIdentifierChanged'],
  ['a server that does not tell who it is', world.withCatalog(withdrawn, { systemIdentifier: null }), 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['the row belongs to another installation', world.withRow(everything, { installation: 'other' }), 'ExternalSecretCreated', 'wait InstanceChanged'],
  ['the row belongs to another Instance', moved, 'ExternalSecretCreated', 'wait InstanceChanged', /UID uid-gone\); to move it to PostgreSQLInstance "main", annotate this object with/],
  ['it moves by the word of a person', world.withWish(moved, { confirm: token('InstanceChanged', 'uid-gone', 'uid-instance') }), 'ExternalSecretCreated', 'step InstanceChanged MoveToInstance'],
  ['a garbage collector that deletes in the foreground takes the ExternalSecret itself', { ...everything, collector: 'foreground' }, 'ExternalSecretCreated', 'wait Deleting', /waiting for the garbage collector to delete ExternalSecret "orders-postgresql"/],
  ['it has taken it: the rest goes on although it is not done yet', { ...withdrawn, collector: 'foreground' }, 'DatabaseCreated', 'step Deleting CloseDatabase'],
  ['what stands in the way is told before the garbage collector', { ...blocked({ subscriptions: ['s'] }), collector: 'foreground' }, 'ExternalSecretCreated', 'wait DeletionBlocked'],
  ['a garbage collector that orphans is waited for', { ...everything, collector: 'orphan' }, 'ExternalSecretCreated', 'wait Deleting', /to orphan ExternalSecret/],
  ['even where there is nothing to orphan', { ...withdrawn, collector: 'orphan' }, 'DatabaseCreated', 'wait Deleting'],
  ['an orphaned ExternalSecret still hands out the credential', orphaned, 'DatabaseCreated', 'wait ExternalSecretOrphaned', /kubectl delete externalsecret orders-postgresql --namespace shop\. To keep/],
  ['whoever owns nothing needs no ExternalSecret', world.withChild(nothing, { kind: 'foreign', orphaned: true }), 'Planned', 'finished'],
  ['without the finalizer nothing is begun', { ...everything, held: false }, 'ExternalSecretCreated', 'wait DeletionBlocked', /finalizer \(\S+<name of the CompositeController>\) is not on this object any more: .* put that finalizer back; .* take off the finalizers that are left \(kubectl -n shop get postgresqltenant orders .*role "shop_orders".*pgtenancy\.tenant, and prod\/shop\/orders\/uid-tenant in OpenBao$/],
  ['without the finalizer nothing is ended either', { ...aside, held: false }, 'DatabaseCreated', 'wait DeletionBlocked'],
  ['what is gone is gone, with or without the finalizer', { ...nothing, held: false }, 'Planned', 'finished'],
  ['objects depend on the role', blocked({ dependencies: ['2 objects in database a', '1 object in database b'] }), 'ExternalSecretCreated', 'wait DeletionBlocked', /depend on the role \(2 objects in database a, 1 object in database b\): .*drop owned by "shop_orders", or before it, .* reassign owned by "shop_orders" to "<another role>"; alter database "shop_orders" owner to "shop_orders" /],
  ['there are prepared transactions', blocked({ preparedTransactions: ['x'] }), 'ExternalSecretCreated', 'wait DeletionBlocked', /prepared transactions \(x\)/],
  ['there are subscriptions', blocked({ subscriptions: ['s'] }), 'ExternalSecretCreated', 'wait DeletionBlocked', /subscriptions \(s\)/],
  ['there are active slots and more', blocked({ activeSlots: ['r'], subscriptions: ['s'] }), 'ExternalSecretCreated', 'wait DeletionBlocked', /subscriptions \(s\): drop them; active replication slots \(r\): stop whoever reads from them\. .*Retain$/],
];

for (const [sentence, facts, phase, expected, message] of rows) {
  test(`Delete: ${sentence}`, () => {
    const decision = decidedDown(facts);
    const { step, first } = decision;
    const answer = decision.finished
      ? 'finished'
      : [answerOf(decision), ...(step === null ? [] : [step.kind])].join(' ');
    assert.deepEqual([decision.phase, answer], [phase, expected]);
    if (message !== undefined) assert.match(first?.kind === 'wait' ? first.message : '', message);
  });
}

const wayOut = /\. To keep everything and let the Tenant go, set spec\.deletionPolicy to Retain$/;

const held = rows.filter(([, facts, , expected]) => facts.held && /^(?:wait|unknown)/.test(expected));

for (const [sentence, facts] of held) {
  test(`Delete: how to let go is said when ${sentence}`, () => {
    const { first } = decidedDown(facts);
    const message = first?.kind === 'wait' || first?.kind === 'unknown' ? first.message : '';
    assert.match(message, wayOut);
    assert.equal(message.split(' To keep everything').length, 2, 'it is said once');
    assert.doesNotMatch(conditionOf(statusDownOf(retaining(facts)), 'Ready')?.message ?? '', wayOut);
  });
}

const retaining = (facts: DescentFacts) => world.withWish(facts, { deletionPolicy: 'Retain' });

test('Delete: what is in the way is named, however much it is', () => {
  const { first } = decidedDown(blocked({ subscriptions: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }));
  assert.match(first?.kind === 'wait' ? first.message : '', /subscriptions \(a, b, c, d, e and 2 more\)/);
});

test('Delete: the steps in order, each at the phase that is recorded before it', () => {
  const way = [everything, withdrawn, closed, aside, dropped, roleless, recordless].map((facts) => {
    const { phase, step } = decidedDown(facts);
    return `${phase} ${step?.kind ?? 'none'}`;
  });
  assert.deepEqual(way, [
    'ExternalSecretCreated WithdrawExternalSecret',
    'DatabaseCreated CloseDatabase',
    'DatabaseCreated TombstoneDatabase',
    'DatabaseCreated DropDatabase',
    'RoleCreated DropRole',
    'CredentialCreated DeleteCredential',
    'Planned ReleaseNames',
  ]);
});

for (const recorded of [undefined, ...tenantPhases]) {
  test(`Delete: with ${recorded ?? 'nothing'} recorded a step is taken only where that is the derived phase`, () => {
    for (const facts of [everything, withdrawn, dropped, roleless, recordless]) {
      const { phase, step } = decideDescent(facts, recordedAt(recorded));
      assert.equal(phase, decidedDown(facts).phase);
      assert.equal(step !== null, recorded === phase);
    }
  });

  test(`Delete: with ${recorded ?? 'nothing'} recorded an unknown leaves phase and conditions`, () => {
    const conditions = statusOf(world.ready()).conditions ?? [];
    const before = { ...(recorded === undefined ? {} : { phase: recorded }), conditions };
    const facts = { ...everything, child: lost };
    const after = statusDownOf(facts, before, later);
    assert.deepEqual(
      [after.phase, decideDescent(facts, recordedAt(recorded)).step],
      [recorded ?? 'Planned', null],
    );
    const others = (all: typeof after.conditions) => all?.filter(({ type }) => type !== 'Ready');
    assert.deepEqual(others(after.conditions), others(conditions));
    assert.equal(saidOf(after, 'Ready'), 'False ServerError');
  });
}

test('Delete: conditions say what is gone, and leave what is still there', () => {
  const before = statusOf(world.ready());
  const after = statusDownOf(dropped, before, later);
  assert.equal(after.phase, 'RoleCreated');
  assert.deepEqual(conditionOf(after, 'RoleCreated'), conditionOf(before, 'RoleCreated'));
  for (const type of ['DatabaseCreated', 'ExtensionsInstalled', 'ExternalSecretCreated'] as const) {
    assert.equal(saidOf(after, type), 'False Deleted');
  }
  assert.equal(saidOf(after, 'Ready'), 'False Deleting');
  assert.equal(saidOf(statusDownOf(nothing, after, later), 'Ready'), 'False Deleted');
});

test('Delete: with no status left nothing is called deleted that is still there', () => {
  const status = statusDownOf(dropped);
  assert.deepEqual(
    status.conditions?.map(({ type, status: said, reason }) => `${type} ${said} ${reason}`),
    [
      'CredentialCreated Unknown Deleting',
      'RoleCreated Unknown Deleting',
      'DatabaseCreated False Deleted',
      'ExtensionsInstalled False Deleted',
      'ExternalSecretCreated False Deleted',
      'CredentialProjected False Deleted',
      'Ready False Deleting',
    ],
  );
});

test('Delete: same world, same bytes', () => {
  for (const facts of [
    everything,
    going,
    dropped,
    blocked({ subscriptions: ['s'] }),
    leaving('Delete', { catalog: lost }),
  ]) {
    const first = statusDownOf(facts, statusOf(world.ready()));
    assert.equal(JSON.stringify(statusDownOf(facts, first, later)), JSON.stringify(first));
  }
});

test('Delete: Stalled tells what somebody must act on from what only takes time', () => {
  const stalledBy = (facts: DescentFacts) => saidOf(statusDownOf(facts), 'Stalled');
  assert.equal(stalledBy(world.withRow(everything, { instanceUid: 'x' })), 'True InstanceChanged');
  assert.equal(stalledBy(blocked({ subscriptions: ['s'] })), 'True DeletionBlocked');
  assert.equal(stalledBy(going), undefined);
  assert.equal(stalledBy(nothing), undefined);
});

test('Delete: a step that failed speaks, and is not taken again at once', () => {
  const trouble = { reason: 'PermissionDenied', message: 'cannot drop role' } as const;
  const { first, step, finished } = decidedDown({ ...dropped, overdue: true }, trouble);
  assert.deepEqual([first?.kind, step, finished], ['wait', null, false]);
  assert.match(first?.kind === 'wait' ? first.message : '', /^cannot drop role\. To keep .* to Retain$/);
  assert.deepEqual(decidedDown(nothing, trouble).finished, true);
});

test('Delete: a database is taken down only where the catalog was seen', () => {
  assert.equal(takeDatabaseDown({ ...everything, catalog: lost }).kind, 'unknown');
  assert.equal(dropRole(everything).kind, 'step');
});

test('Delete: a record that was written again meanwhile is deleted as well', () => {
  assert.equal(decidedDown(world.withCredential(recordless, live)).step?.kind, 'DeleteCredential');
});

test('Delete: conditions say of each part whether it is gone, whatever else still is', () => {
  const before = statusOf(world.ready());
  const said = (facts: DescentFacts) => {
    const status = statusDownOf(facts, before, later);
    return tenantPhases.filter((type) => type !== 'Planned' && saidOf(status, type) === 'False Deleted');
  };
  assert.deepEqual(said(everything), []);
  assert.deepEqual(said(withdrawn), ['ExternalSecretCreated', 'CredentialProjected']);
  assert.deepEqual(said(world.withChild(dropped, { kind: 'ours', object: world.externalSecret() })), [
    'DatabaseCreated',
  ]);
  assert.deepEqual(said(world.withInstance(nothing, { systemIdentifier: '1' })), [
    ...['CredentialCreated', 'ExternalSecretCreated', 'CredentialProjected'],
  ]);
});

test('a login that is refused says nothing about a role that has another name now', () => {
  const renamed = world.withRole(world.ready(), { name: 'sales' });
  const status = statusOf(world.withSession(renamed, { kind: 'rejected', afterReset: false }));
  assert.equal(saidOf(status, 'ExternalSecretCreated'), 'False Pending');
});
