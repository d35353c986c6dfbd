import assert from 'node:assert/strict';
import { test } from 'node:test';

import { passingConditionTypes, type Condition } from '../../src/api/conditions.ts';
import { tenantConditionTypes, type TenantConditionType } from '../../src/api/tenant.ts';
import { findingOf, mergeConditions, stalledFindings } from '../../src/domain/conditions.ts';
import { known } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { decideClimb } from '../../src/domain/decide.ts';
import { holds, holdsBut, step, told, wait } from '../../src/domain/verdict.ts';
import { conditionOf, decided, earlier, later, recordedAt, saidOf, statusOf } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, lost, ready } from './worlds.ts';

const before: Condition = {
  type: 'RoleCreated',
  status: 'True',
  reason: 'Reached',
  message: '',
  lastTransitionTime: earlier,
  observedGeneration: 3,
};
const pendingBefore: Condition = { ...before, status: 'False', reason: 'Pending' };
const neverConcluded: Condition = { ...pendingBefore };
delete neverConcluded.observedGeneration;

type Finding = Parameters<typeof mergeConditions>[1][number];

const finding = (
  status: Finding['status'],
  reason: Finding['reason'],
  change: Partial<Finding> = {},
): Finding => ({
  type: 'RoleCreated',
  status,
  reason,
  message: '',
  ...change,
});

/** Status, reason, time and generation, when the object is at generation 4. */
type Merged = readonly [Condition['status'], string, string, number | undefined];

// prettier-ignore
const merges: readonly (readonly [sentence: string, recorded: readonly Condition[], finding: Finding, merged: Merged])[] = [
  ['a first True is a conclusion', [], finding('True', 'Reached'), ['True', 'Reached', later, 4]],
  ['a first False that will pass is none', [], finding('False', 'RoleMissing'), ['False', 'RoleMissing', later, undefined]],
  ['a first False that stays is one', [], finding('False', 'Conflict'), ['False', 'Conflict', later, 4]],
  ['a first Unknown is none, whatever its reason', [], finding('Unknown', 'OpenBaoForbidden'), ['Unknown', 'OpenBaoForbidden', later, undefined]],
  ['the same status keeps its time, and concludes for the new generation', [before], finding('True', 'Reached'), ['True', 'Reached', earlier, 4]],
  ['another reason keeps the time', [pendingBefore], finding('False', 'RoleMissing'), ['False', 'RoleMissing', earlier, 3]],
  ['another status moves the time, and keeps the last conclusion', [before], finding('False', 'RoleMissing'), ['False', 'RoleMissing', later, 3]],
  ['Unknown moves the time, and keeps the last conclusion', [before], finding('Unknown', 'ServerError'), ['Unknown', 'ServerError', later, 3]],
  ['where none was ever concluded none appears', [neverConcluded], finding('Unknown', 'ServerError'), ['Unknown', 'ServerError', later, undefined]],
  ['what concludes nothing leaves what is recorded', [before], finding('Unknown', 'ServerError', { unlessRecorded: true }), ['True', 'Reached', earlier, 3]],
  ['what concludes nothing speaks where nothing is recorded', [], finding('Unknown', 'ServerError', { unlessRecorded: true }), ['Unknown', 'ServerError', later, undefined]],
  ['a condition that is only kept is kept', [before], finding('Unknown', 'ServerError', { onlyIfRecorded: true }), ['True', 'Reached', earlier, 3]],
];

for (const [sentence, recorded, found, merged] of merges) {
  test(`conditions: ${sentence}`, () => {
    const other: Condition = { ...before, type: 'Ready', status: 'Unknown', observedGeneration: 1 };
    const [condition, ...more] = mergeConditions([other, ...recorded], [found], 4, later);
    assert.deepEqual(more, []);
    const { status, reason, lastTransitionTime, observedGeneration } = condition!;
    assert.deepEqual([status, reason, lastTransitionTime, observedGeneration], merged);
    assert.ok(!('observedGeneration' in condition!) || observedGeneration !== undefined);
  });
}

test('conditions: one that is only kept does not appear by itself', () => {
  assert.deepEqual(
    mergeConditions([], [finding('True', 'Conflict', { onlyIfRecorded: true })], 4, later),
    [],
  );
});

test('conditions: each verdict has its status', () => {
  const said = (...args: Parameters<typeof findingOf>) => {
    const { status, reason, message } = findingOf(...args);
    return `${status} ${reason} ${message}`;
  };
  assert.equal(said('Ready', holds), 'True Reached ');
  assert.equal(said('Ready', holds, { reason: 'NoExtensions', message: 'none' }), 'True NoExtensions none');
  assert.equal(said('Ready', holdsBut('InstanceNotReady', 'm')), 'True InstanceNotReady m');
  assert.equal(said('Ready', told('RequiresSuperuser', 'm')), 'False RequiresSuperuser m');
  assert.equal(said('Ready', wait('Conflict', 'm')), 'False Conflict m');
  assert.equal(said('Ready', step('RoleMissing', 'm', {})), 'False RoleMissing m');
  assert.equal(said('Ready', { kind: 'unknown', reason: 'Busy', message: 'm' }), 'Unknown Busy m');
});

test('Stalled appears with the first reason that does not mend itself, and with no other', () => {
  const reasonsOf = (...args: Parameters<typeof stalledFindings>) =>
    stalledFindings(...args).map(({ reason }) => reason);
  assert.deepEqual(reasonsOf(null), []);
  assert.deepEqual(reasonsOf(holds), []);
  assert.deepEqual(reasonsOf(wait('InstanceNotFound', '')), []);
  assert.deepEqual(reasonsOf(wait('Conflict', '')), ['Conflict']);
  assert.deepEqual(reasonsOf(wait('Conflict', ''), [told('ExtensionMismatch', '')]), ['Conflict']);
  assert.deepEqual(reasonsOf(wait('Pending', ''), [told('ExtensionMismatch', '')]), ['ExtensionMismatch']);
  assert.deepEqual(reasonsOf(holds, [told('ExtensionMismatch', '')]), ['ExtensionMismatch']);
});

test('conditions: a message that a server made endless is cut, and cut the same again', () => {
  const endless = finding('False', 'ServerError', { message: 'x'.repeat(5000) });
  const first = mergeConditions([], [endless], 4, later);
  assert.equal(first[0]?.message.length, 4096);
  assert.deepEqual(mergeConditions(first, [endless], 4, later), first);
});

const cube = [{ name: 'cube' }];
const passing: readonly string[] = passingConditionTypes;
const types = tenantConditionTypes.filter((type) => !passing.includes(type));

test('conditions: all of them are there from the first answer on, in climbing order', () => {
  for (const facts of [
    fresh(),
    ready(),
    ready({ catalog: lost }),
    world.withWish(fresh(), { extensions: cube }),
  ]) {
    const found = statusOf(facts).conditions?.map(({ type }) => type);
    assert.deepEqual(
      found?.filter((type) => !passing.includes(type)),
      types,
    );
  }
});

test('conditions: Stalled comes last, and goes when the trouble does', () => {
  const conflict = statusOf(world.withNamedDatabase(ready(), { ownerOid: '90000' }));
  assert.equal(conflict.conditions?.at(-1)?.type, 'Stalled');
  assert.equal(conditionOf(statusOf(ready(), conflict, later), 'Stalled'), undefined);
});

type Said = Partial<Record<TenantConditionType, string | undefined>>;

const failing = { reason: 'ServerError', message: 'extension "cube": it broke' } as const;
const withCube = (session: object) =>
  world.withSession(world.withWish(ready(), { extensions: cube }), { ...world.proven, ...session });
const deleting = { ...world.externalSecret().metadata, deletionTimestamp: earlier };

// prettier-ignore
const sentences: readonly (readonly [sentence: string, facts: TenantFacts, said: Said])[] = [
  ['everything holds', ready(), { CredentialCreated: 'True Reached', ExtensionsInstalled: 'True NoExtensions', CredentialProjected: 'True Reached', Ready: 'True Reached', Stalled: undefined }],
  ['a new Tenant', fresh(), { CredentialCreated: 'False NamesUnclaimed', RoleCreated: 'False Pending', DatabaseCreated: 'False Pending', ExternalSecretCreated: 'False Pending', CredentialProjected: 'False Pending', Ready: 'False NamesUnclaimed' }],
  ['a failing admission check is the reason of two', fresh({ namespaceAllowed: known(false) }), { CredentialCreated: 'False NamespaceNotAllowed', RoleCreated: 'False Pending', Ready: 'False NamespaceNotAllowed', Stalled: 'True NamespaceNotAllowed' }],
  ['each states its own rung: a role that is gone leaves the database', world.withoutRole(ready()), { CredentialCreated: 'True Reached', RoleCreated: 'False RoleMissing', CredentialProjected: 'True Reached', Ready: 'False RoleMissing' }],
  ['a namespace that is no longer served is told', ready({ namespaceAllowed: known(false) }), { CredentialCreated: 'True NamespaceNotAllowed', Ready: 'True Reached', Stalled: undefined }],
  ['an Instance that is not Ready is told', world.withInstance(ready(), { ready: false }), { CredentialCreated: 'True InstanceNotReady', Ready: 'True Reached' }],
  ['a terminating Instance need not be told', world.withInstance(ready(), { ready: false, terminating: true }), { CredentialCreated: 'True Reached', Ready: 'True Reached' }],
  ['a password that is refused for good stalls', world.withSession(ready(), { kind: 'rejected', afterReset: true }), { ExternalSecretCreated: 'False PasswordRefused', Ready: 'False PasswordRefused', Stalled: 'True PasswordRefused' }],
  ['a password that is about to be set again does not', world.withSession(ready(), { kind: 'rejected', afterReset: false }), { ExternalSecretCreated: 'False PasswordRejected', Stalled: undefined }],
  ['a row that is marked Retained stalls', world.withRow(ready(), { state: 'Retained' }), { CredentialCreated: 'False RowRetained', Ready: 'False RowRetained', Stalled: 'True RowRetained' }],
  ['a refresh that fails is told', world.withObject(ready(), { status: { syncedResourceVersion: '1-x', conditions: [{ type: 'Ready', status: 'False', reason: 'SecretSyncedError' }] } }), { CredentialProjected: 'True SecretNotSynced', Ready: 'True Reached' }],
  ['an extension that went bad later is told in its own condition', withCube({}), { ExtensionsInstalled: 'False ExtensionUnavailable', ExternalSecretCreated: 'True Reached', Ready: 'True Reached', Stalled: 'True ExtensionUnavailable' }],
  ['an extension that failed and may yet come does not stall', withCube({ offers: [world.offer('cube')], pristine: true, failures: { cube: failing } }), { ExtensionsInstalled: 'False ServerError', Ready: 'True Reached', Stalled: undefined }],
  ['installed extensions', withCube({ installed: [world.installed('cube')] }), { ExtensionsInstalled: 'True Reached' }],
  ['a Secret of an older version is not the projection of the newest', world.withCredential(ready(), { ...world.live, version: 2 }), { ExternalSecretCreated: 'False ExternalSecretOutdated', CredentialProjected: 'False Pending', Ready: 'False ExternalSecretOutdated' }],
  ['an ExternalSecret on its way out projects nothing', world.withObject(ready(), { metadata: deleting }), { ExternalSecretCreated: 'False ExternalSecretDeleting', CredentialProjected: 'False Pending' }],
];

for (const [sentence, facts, said] of sentences) {
  test(`conditions: ${sentence}`, () => {
    const status = statusOf(facts);
    for (const [type, expected] of Object.entries(said)) {
      assert.equal(saidOf(status, type as TenantConditionType), expected, type);
    }
  });
}

test('conditions: Ready copies the first reason and its message', () => {
  const status = statusOf(world.withoutDatabase(ready()));
  const own = conditionOf(status, 'DatabaseCreated');
  const { reason, message } = conditionOf(status, 'Ready')!;
  assert.deepEqual([reason, message], [own?.reason, own?.message]);
});

test('conditions: a login that is not made yet leaves the extensions as they are recorded', () => {
  const bad = statusOf(withCube({}));
  const after = statusOf(world.withSession(withCube({}), { kind: 'deferred' }), bad, later);
  assert.deepEqual(conditionOf(after, 'ExtensionsInstalled'), conditionOf(bad, 'ExtensionsInstalled'));
});

const trouble = { reason: 'PermissionDenied', message: 'cannot create role' } as const;

test('trouble: a step that failed speaks in place of the verdict that asked for it, and is not taken again at once', () => {
  const decision = decided(world.withoutRole(ready()), trouble);
  assert.equal(decision.step, null);
  assert.deepEqual(decision.first, { kind: 'wait', ...trouble });
  const said = decision.findings
    .filter(({ reason }) => reason === 'PermissionDenied')
    .map(({ type }) => type);
  assert.deepEqual(said, ['RoleCreated', 'Ready', 'Stalled']);
});

test('trouble: a world that says by now what is in the way speaks for itself', () => {
  const { first } = decided(world.withNamedDatabase(ready(), { ownerOid: '90000' }), trouble);
  assert.deepEqual([first?.kind, first?.kind === 'wait' && first.reason], ['wait', 'Conflict']);
});

test('trouble: once everything holds it is over', () => {
  assert.equal(decided(ready(), trouble).first, null);
});

test('trouble: what is unknown now speaks for itself', () => {
  const { first, step: taken } = decideClimb(ready({ catalog: lost }), recordedAt('Ready'), trouble);
  assert.deepEqual([first?.kind, taken], ['unknown', null]);
});
