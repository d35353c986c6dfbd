import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases, type TenantPhase } from '../../src/api/tenant.ts';
import { confirmToken } from '../../src/domain/confirm.ts';
import { decideDescent } from '../../src/domain/decide.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type { DescentFacts } from '../../src/domain/facts.ts';
import { answerOf, decidedDown, earlier, recordedAt, saidOf, statusDownOf } from './answers.ts';
import * as world from './worlds.ts';
import { leaving, lost } from './worlds.ts';

const everything = leaving('Retain');
const marked = world.withRow(everything, { state: 'Retained' });
const gone = { kind: 'absent' } as const;
const shut = world.withDatabase(everything, { allowConnections: false });
const roleShut = world.withRole(everything, { canLogin: false });
const noInstance = unknown('InstanceNotFound', 'PostgreSQLInstance "main" does not exist');
const absentInstance = { instance: known(gone), catalog: noInstance };
const overdue = { overdue: true };
const otherInstallation = world.withChild(world.withRow(everything, { installation: 'other' }), gone);
const otherServer = world.withChild(world.withCatalog(everything, { systemIdentifier: '1' }), gone);
const moved = world.withRow(everything, { instanceUid: 'uid-gone' });
const moveToken = confirmToken('InstanceChanged', ['uid-gone', world.instance.uid]);

type Row = readonly [sentence: string, facts: DescentFacts, phase: TenantPhase, expected: string];

// prettier-ignore
const rows: readonly Row[] = [
  ['the names are marked first', everything, 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['then the ExternalSecret goes', marked, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['it is waited for', world.withObject(marked, { metadata: { ...world.externalSecret().metadata, deletionTimestamp: earlier } }), 'ExternalSecretCreated', 'wait Deleting'],
  ['then it is finished', world.withChild(marked, gone), 'DatabaseCreated', 'finished'],
  ['a foreign ExternalSecret stays', world.withChild(marked, { kind: 'foreign' }), 'DatabaseCreated', 'finished'],
  ['without a row there is nothing to mark', world.withCatalog(everything, { row: null }), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['whoever lost a name to another Tenant marks nothing', world.withChild(world.withCatalog(everything, { row: null }), gone), 'CredentialCreated', 'finished'],
  ['a row of another installation is waited for', otherInstallation, 'DatabaseCreated', 'wait InstanceChanged'],
  ['and not marked, but let go in the end', { ...otherInstallation, ...overdue }, 'DatabaseCreated', 'finished'],
  ['another server that answers is waited for', otherServer, 'DatabaseCreated', 'wait SystemIdentifierChanged'],
  ['another server without a row of ours is waited for', world.withCatalog(otherServer, { row: null }), 'CredentialCreated', 'wait SystemIdentifierChanged'],
  ['and nothing is marked on it, but let go in the end', { ...otherServer, ...overdue }, 'DatabaseCreated', 'finished'],
  ['a row of another Instance waits for the word of a person', moved, 'ExternalSecretCreated', 'wait InstanceChanged'],
  ['and goes to this one by it, to be marked there', world.withWish(moved, { confirm: moveToken }), 'ExternalSecretCreated', 'step InstanceChanged MoveToInstance'],
  ['it is not waited for for ever either', { ...moved, ...overdue }, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a marked row of another Instance waits as well', world.withRow(everything, { instanceUid: 'uid-gone', state: 'Retained' }), 'ExternalSecretCreated', 'wait InstanceChanged'],
  ['an Instance that does not exist is not waited for', world.withChild(leaving('Retain', absentInstance), gone), 'Planned', 'finished'],
  ['an Instance that does not exist does not keep the ExternalSecret', leaving('Retain', absentInstance), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a server that cannot be reached is waited for', leaving('Retain', { catalog: lost }), 'ExternalSecretCreated', 'unknown ServerError'],
  ['but not for ever', leaving('Retain', { catalog: lost, ...overdue }), 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['and then it is let go', world.withChild(leaving('Retain', { catalog: lost, ...overdue }), gone), 'Planned', 'finished'],
  ['an ExternalSecret that cannot be seen is waited for', { ...marked, child: lost }, 'Planned', 'unknown ServerError'],
  ['but not for ever either', { ...marked, child: lost, ...overdue }, 'Planned', 'finished'],
  ['with time left or not, a mark that can be written is written', leaving('Retain', overdue), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['what runs on the database is waited for', world.withCatalog(everything, { inFlight: 'drop' }), 'ExternalSecretCreated', 'wait DatabaseBusy'],
  ['what runs on the database is not waited for for ever', { ...world.withCatalog(everything, { inFlight: 'drop' }), ...overdue }, 'ExternalSecretCreated', 'step Deleting WithdrawExternalSecret'],
  ['a deletion that closed the database is undone', shut, 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that shut out the role is undone', roleShut, 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that moved the database aside is undone', world.withTombstone(everything), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that dropped the database leaves a role to undo', world.withoutDatabase(roleShut), 'ExternalSecretCreated', 'step Retained ReopenRetained'],
  ['a deletion that dropped all leaves the names to mark', world.withRow(world.withoutRole(world.withoutDatabase(everything)), { roleOid: null, databaseOid: null }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a database that was never opened is not opened now', world.withRow(world.withNamedDatabase(everything, { allowConnections: false }), { databaseOid: null }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a deletion that began before it was opened leaves it shut', world.withRow(roleShut, { databaseOid: null }), 'ExternalSecretCreated', 'step Retained MarkRetained'],
  ['a restored database is left as it is', world.withNamedDatabase(everything, {}), 'ExternalSecretCreated', 'step Retained MarkRetained'],
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
  assert.deepEqual([early.finished, early.first], [false, { kind: 'wait', ...trouble }]);
  assert.equal(decidedDown({ ...everything, ...overdue }, trouble).finished, true);
});

test('Retain: in the end Ready says that all was kept', () => {
  assert.equal(saidOf(statusDownOf(world.withChild(marked, gone)), 'Ready'), 'False Retained');
});
