import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import type { DatabaseView, RoleView } from '../../src/domain/catalog.ts';
import { confirmToken } from '../../src/domain/confirm.ts';
import { decideDescent } from '../../src/domain/decide.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type { DescentFacts } from '../../src/domain/facts.ts';
import { answerOf, conditionOf, decidedDown, earlier, recordedAt, saidOf, statusDownOf } from './answers.ts';
import * as world from './worlds.ts';
import { leaving, lost } from './worlds.ts';

const everything = leaving('Retain');
const marked = world.withRow(everything, { state: 'Retained' });
const membershipLeft = (change: Partial<RoleView> = {}) =>
  world.withRole(marked, { ...change, selfGranted: true });
const limited = (facts: DescentFacts) =>
  world.withCatalog(facts, { manager: { superuser: false, entersDatabases: false } });
const gone = { kind: 'absent' } as const;
const catalogOf = ({ catalog }: DescentFacts) => (catalog.known ? catalog.value : world.catalog);
const shut = world.withDatabase(everything, { allowConnections: false });
const roleShut = world.withRole(everything, { canLogin: false });
const noInstance = unknown('InstanceNotFound', 'PostgreSQLInstance "main" does not exist');
const absentInstance = { instance: known(gone), catalog: noInstance };
const overdue = { overdue: true };
const maybeShut = { overdue: true, mayBeShut: true };
const otherInstallation = world.withChild(world.withRow(everything, { installation: 'other' }), gone);
const otherServer = world.withChild(world.withCatalog(everything, { systemIdentifier: '1' }), gone);
/** Its registry is whole, and says nothing about this Tenant. */
const unmet = world.withInstance(world.withCatalog(world.withChild(everything, gone), { row: null }), {
  systemIdentifier: '1',
});
const moved = world.withRow(everything, { instanceUid: 'uid-gone' });
const loser = world.withChild(
  world.withCredential(world.withCatalog(leaving('Retain', { everClaimed: false }), { row: null }), gone),
  gone,
);
const aside = world.withTombstone(everything);
const usurped = world.withCatalog(aside, {
  database: { ...catalogOf(aside).database, named: { ...world.database, oid: '90001' } },
});
const broken = {
  ...world.database,
  name: 'pto_drop_uid-tenant',
  allowConnections: false,
  connectionLimit: -2,
};
const halfDropped = world.withCatalog(everything, {
  database: { registered: broken, named: null, tombstone: broken },
});
const dropping = world.withCatalog(aside, { inFlight: 'drop' });
const neverOpened = world.withRow(world.withNamedDatabase(everything, { allowConnections: false }), {
  databaseOid: null,
});
/** Everything that PostgreSQL had of it was dropped. */
const emptied = world.withRow(world.withoutRole(world.withoutDatabase(everything)), {
  roleOid: null,
  databaseOid: null,
});
const moveToken = confirmToken('InstanceChanged', ['uid-gone', world.instance.uid]);

type Row = readonly [sentence: string, facts: DescentFacts, phase: TenantPhase, expected: string];

// prettier-ignore
const rows: readonly Row[] = [
  ['the names are marked first', everything, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['then the ExternalSecret goes', marked, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a grant that an interrupted step left is taken back after the mark', membershipLeft(), 'ExternalSecretCreated', 'step Retained ReturnMembership'],
  ['of a role that became a superuser it is taken back by a superuser', membershipLeft({ superuser: true }), 'ExternalSecretCreated', 'step Retained ReturnMembership'],
  ['and by nobody else, so that it is not waited for', limited(membershipLeft({ superuser: true })), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['of any other role it is taken back by whoever manages it', limited(membershipLeft()), 'ExternalSecretCreated', 'step Retained ReturnMembership'],
  ['it is waited for', world.withObject(marked, { metadata: { ...world.externalSecret().metadata, deletionTimestamp: earlier } }), 'ExternalSecretCreated', 'wait Deleting'],
  ['then it is finished', world.withChild(marked, gone), 'DatabaseCreated', 'finished'],
  ['a foreign ExternalSecret stays', world.withChild(marked, { kind: 'foreign' }), 'DatabaseCreated', 'finished'],
  ['without a row there is nothing to mark', world.withCatalog(everything, { row: null }), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['whoever lost a name to another Tenant marks nothing', loser, 'Planned', 'finished'],
  ['a row of another installation is waited for', otherInstallation, 'DatabaseCreated', 'wait InstanceChanged'],
  ['and not marked, but let go in the end', { ...otherInstallation, ...overdue }, 'DatabaseCreated', 'finished'],
  ['another server that answers is waited for', otherServer, 'Planned', 'wait SystemIdentifierChanged'],
  ['another server without a row of ours is waited for', world.withCatalog(otherServer, { row: null }), 'Planned', 'wait SystemIdentifierChanged'],
  ['another server with a registry of its own is waited for', unmet, 'Planned', 'wait SystemIdentifierChanged'],
  ['but not for ever, and what it has not is not missed', { ...unmet, ...overdue }, 'Planned', 'finished'],
  ['and nothing is marked on it, but let go in the end', { ...otherServer, ...overdue }, 'Planned', 'finished'],
  ['a row of another Instance waits for the word of a person', moved, 'ExternalSecretCreated', 'wait InstanceChanged'],
  ['and goes to this one by it, to be marked there', world.withWish(moved, { confirm: moveToken }), 'ExternalSecretCreated', 'step InstanceChanged MoveToInstance'],
  ['it is not waited for for ever either', { ...moved, ...overdue }, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a marked row of another Instance waits as well', world.withRow(everything, { instanceUid: 'uid-gone', state: 'Retained' }), 'ExternalSecretCreated', 'wait InstanceChanged'],
  ['an Instance that does not exist is not waited for', world.withChild(leaving('Retain', absentInstance), gone), 'Planned', 'finished'],
  ['an Instance that does not exist does not keep the ExternalSecret', leaving('Retain', absentInstance), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a server that cannot be reached is waited for', leaving('Retain', { catalog: lost }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['but not for ever', leaving('Retain', { catalog: lost, ...overdue }), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['and then it is let go', world.withChild(leaving('Retain', { catalog: lost, ...overdue }), gone), 'Planned', 'finished'],
  ['but for ever, where a deletion may have shut it', world.withChild(leaving('Retain', { catalog: lost, ...maybeShut }), gone), 'Planned', 'unknown ServerError'],
  ['another server says nothing about that', { ...otherServer, ...maybeShut }, 'Planned', 'wait SystemIdentifierChanged'],
  ['nor does another installation', { ...otherInstallation, ...maybeShut }, 'DatabaseCreated', 'wait InstanceChanged'],
  ['a drop that is running has shut it', { ...dropping, ...maybeShut }, 'ExternalSecretCreated', 'wait DatabaseBusy'],
  ['an ExternalSecret that cannot be seen is waited for', { ...marked, child: lost }, 'Planned', 'unknown ServerError'],
  ['but not for ever either', { ...marked, child: lost, ...overdue }, 'Planned', 'finished'],
  ['with time left or not, a mark that can be written is written', leaving('Retain', overdue), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a drop that is running is waited for', dropping, 'ExternalSecretCreated', 'wait DatabaseBusy'],
  ['a drop that is running is waited for although the row is marked', world.withRow(dropping, { state: 'Retained' }), 'ExternalSecretCreated', 'wait DatabaseBusy'],
  ['a create that is running is waited for', world.withCatalog(world.withoutDatabase(everything), { inFlight: 'create' }), 'ExternalSecretCreated', 'wait DatabaseBusy'],
  ['what runs on the database is not waited for for ever', { ...dropping, ...overdue }, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a session that claims to drop what is not aside changes nothing', world.withCatalog(everything, { inFlight: 'drop' }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a deletion that closed the database is undone', shut, 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that shut out the role is undone', roleShut, 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that moved the database aside is undone', world.withTombstone(everything), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that dropped the database leaves a role to undo', world.withoutDatabase(roleShut), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that dropped all leaves the names to mark', emptied, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a deletion that began after the mark is undone as well', world.withRow(shut, { state: 'Retained' }), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a database that was never opened is kept like any other', neverOpened, 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a restored database is registered with the mark', world.withNamedDatabase(everything, {}), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a restored database is registered although the row is marked', world.withRow(world.withNamedDatabase(everything, {}), { state: 'Retained' }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a database that somebody else owns under the name is left alone', world.withRow(world.withNamedDatabase(everything, { ownerOid: '90000' }), { databaseOid: null, state: 'Retained' }), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['what is not where the row says is not touched, only marked', world.withDatabase(everything, { name: 'other', allowConnections: false }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a name that somebody else took meanwhile is waited for', usurped, 'ExternalSecretCreated', 'wait Conflict'],
  ['but not for ever: then it is kept under the name that it has', { ...usurped, ...overdue }, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a database that a drop left unusable is not altered', halfDropped, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['an unusable database does not keep the role shut', world.withCatalog(halfDropped, { role: { registered: { ...world.role, canLogin: false }, named: world.role } }), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['under orphaning the ExternalSecret stays', { ...marked, collector: 'orphan' }, 'ExternalSecretCreated', 'finished'],
  ['under orphaning the names are marked first', { ...everything, collector: 'orphan' }, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['under foreground deletion the collector takes the ExternalSecret', { ...marked, collector: 'foreground' }, 'ExternalSecretCreated', 'wait Deleting'],
  ['without our finalizer it goes with its owner', { ...marked, held: false }, 'ExternalSecretCreated', 'finished'],
];

for (const [sentence, facts, phase, expected] of rows) {
  test(`Retain: ${sentence}`, () => {
    const decision = decidedDown(facts);
    const { step } = decision;
    const answer = decision.finished
      ? 'finished'
      : [answerOf(decision), ...(step === null ? [] : [step.kind])].join(' ');
    assert.deepEqual([decision.phase, answer], [phase, expected]);
  });
}

test('Retain: what holds it up says that it does so for 10 minutes only, and what is done in time does not', () => {
  const later = /If it stays so, the Tenant is let go 10 minutes after its deletion all the same/;
  const said = (facts: DescentFacts) =>
    decidedDown(facts).findings.find(({ type }) => type === 'Ready')?.message;
  for (const facts of [leaving('Retain', { catalog: lost }), unmet, otherInstallation, dropping]) {
    assert.match(said(facts) ?? '', later);
  }
  assert.doesNotMatch(said(leaving('Retain', { catalog: lost, mayBeShut: true })) ?? '', later);
  assert.doesNotMatch(said(marked) ?? '', later);
});

test('Retain: what stands in the way of a deletion does not stand in the way of keeping', () => {
  const blockers = known({ ...world.noBlockers, subscriptions: ['s'] });
  assert.equal(decidedDown(leaving('Retain', { blockers })).step?.kind, 'MarkRetained');
  assert.equal(decidedDown(leaving('Retain', { blockers: lost })).step?.kind, 'MarkRetained');
});

for (const recorded of [undefined, ...tenantPhases]) {
  test(`Retain: with ${recorded ?? 'nothing'} recorded a step is taken only where that is the derived phase`, () => {
    for (const facts of [everything, marked, world.withChild(everything, gone)]) {
      const { phase, step } = decideDescent(facts, recordedAt(recorded));
      assert.equal(step !== null, recorded === phase);
    }
  });
}

const trouble = { reason: 'PermissionDenied', message: 'cannot mark the row' } as const;

test('Retain: a mark that cannot be written is tried for 10 minutes, whatever the reason, and then let go', () => {
  const early = decidedDown(everything, trouble);
  assert.ok(early.first?.kind === 'wait' && early.first.message.startsWith(`${trouble.message}. `));
  assert.deepEqual([early.finished, early.first.reason], [false, trouble.reason]);
  assert.equal(decidedDown({ ...everything, ...overdue }, trouble).finished, true);
});

test('Retain: what a deletion may have shut is not let go before it is seen to be open, and the message says how to end that', () => {
  const unseen = decidedDown(childless(leaving('Retain', { catalog: lost, ...maybeShut })));
  for (const decision of [decidedDown({ ...shut, ...maybeShut }, trouble), unseen]) {
    assert.equal(decision.finished, false);
    assert.match(
      decision.first?.kind === 'holds' ? '' : (decision.first?.message ?? ''),
      / take its finalizers off: kubectl -n shop patch /,
    );
  }
  assert.equal(decidedDown({ ...everything, ...maybeShut }, trouble).finished, true);
});

/** What Ready says in the end, and whether that was enough to let go before and after it was recorded. */
function ending(facts: DescentFacts): { told: string; before: boolean; after: boolean } {
  const status = statusDownOf(facts);
  const recorded = recordedAt(status.phase, status.conditions);
  return {
    told: conditionOf(status, 'Ready')?.message ?? '',
    before: decideDescent(facts, recordedAt(status.phase)).finished,
    after: decideDescent(facts, recorded).finished,
  };
}

/** Closed by a deletion, and changed by somebody before that was undone. */
const misplaced = (change: Partial<DatabaseView>) =>
  world.withCatalog(world.withDatabase(everything, { ...change, allowConnections: false }), {
    role: { registered: { ...world.role, canLogin: false }, named: world.role },
  });

const childless = (facts: DescentFacts): DescentFacts => world.withChild(facts, gone);
const kept = (facts: DescentFacts, change: object = {}) =>
  childless(world.withRow(facts, { state: 'Retained', ...change }));
const nothingLeft = childless(world.withCredential(world.withCatalog(everything, { row: null }), gone));

// prettier-ignore
const lasting: readonly (readonly [sentence: string, facts: DescentFacts, told: RegExp])[] = [
  ['the database', kept(world.withoutDatabase(everything)), /^gone already: database "shop_orders"$/],
  ['database and role', kept(emptied, { roleOid: null, databaseOid: null }), /^gone already: database "shop_orders", role "shop_orders"$/],
  ['the record', kept(world.withCredential(everything, gone)), /^gone already: the credential in OpenBao$/],
  ['all of it', nothingLeft, /^neither registry nor OpenBao has anything of this Tenant any more$/],
  ['the row', childless(world.withCatalog(everything, { row: null })), /has a record of this Tenant, but the registry has no row/],
  ['what a drop left unusable', kept(halfDropped), /^an interrupted drop left database "pto_drop_uid-tenant" unusable/],
  ['the name', { ...kept(usurped), ...overdue }, /^the database is still named "pto_drop_uid-tenant", not "shop_orders"; database "pto_drop_uid-tenant" refuses connections until a database administrator runs: alter database "pto_drop_uid-tenant" allow_connections true$/],
  ['what somebody renamed', kept(misplaced({ name: 'other' })), /^database "other" refuses connections until .*: alter database "other" allow_connections true; role "shop_orders" may not log in until .*: alter role "shop_orders" login$/],
  ['what somebody gave away', kept(misplaced({ ownerOid: '90000' })), /^database "shop_orders" refuses connections .*; role "shop_orders" may not log in /],
  ['a drop that is running', { ...kept(dropping), ...overdue }, /; database "pto_drop_uid-tenant" refuses connections /],
];

for (const [sentence, facts, told] of lasting) {
  test(`Retain: that ${sentence} could not be kept is recorded before the object goes`, () => {
    const said = ending(facts);
    assert.match(said.told, told);
    assert.deepEqual([said.before, said.after], [false, true]);
  });
}

test('Retain: what a Tenant had not come to yet is not missed', () => {
  const young = { letIn: false, everClaimed: true };
  const roleless = { roleOid: null, databaseOid: null };
  for (const facts of [kept({ ...emptied, ...young }, roleless), kept({ ...everything, ...young }), loser]) {
    assert.deepEqual(ending(facts), { told: '', before: true, after: true });
  }
});

test('Retain: a record that cannot be seen is not called gone', () => {
  assert.equal(ending({ ...kept(everything), credential: lost }).told, '');
  assert.equal(ending({ ...nothingLeft, credential: lost }).told, '');
});

test('Retain: an Instance that is gone says nothing about what it has', () => {
  assert.equal(ending(childless(leaving('Retain', absentInstance))).told, '');
});

test('Retain: in the end Ready says that all was kept', () => {
  assert.equal(saidOf(statusDownOf(world.withChild(marked, gone)), 'Ready'), 'False Retained');
});
