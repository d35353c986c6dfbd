import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases } from '../../src/api/tenant.ts';
import { decideClimb } from '../../src/domain/decide.ts';
import { known } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { conditionOf, decided, later, recordedAt, saidOf, statusOf } from './answers.ts';
import * as world from './worlds.ts';
import { lost, ready } from './worlds.ts';

/*
 * An extension that is appended once the application is in: installed beside everything else, while the Tenant goes on
 * being Ready.
 */

const offers = [world.offer('cube'), world.offer('hstore')];
const wishing = (facts: TenantFacts, names: readonly string[]) =>
  world.withWish(facts, { extensions: names.map((name) => ({ name })), generation: 4 });
const proven = (facts: TenantFacts, change: object = {}) =>
  world.withSession(facts, { ...world.proven, offers, ...change });

const appended = proven(wishing(ready(), ['cube']));
const failure = { reason: 'PermissionDenied', message: 'extension "cube": permission denied' } as const;
const failed = proven(appended, { pristine: true, failures: { cube: failure } });
const install = (name: string) => ({
  kind: 'InstallExtension',
  extension: { name, schema: 'public', version: undefined, as: 'tenant' },
});

test('beside: an appended extension is installed while the Tenant stays Ready', () => {
  const before = statusOf(ready());
  const decision = decideClimb(appended, recordedAt('Ready', before.conditions));
  assert.deepEqual([decision.phase, decision.first, decision.step], ['Ready', null, install('cube')]);
  const after = statusOf(appended, before, later);
  assert.equal(after.phase, 'Ready');
  assert.equal(saidOf(after, 'ExtensionsInstalled'), 'False ExtensionsMissing');
  assert.equal(saidOf(after, 'ExternalSecretCreated'), 'True Reached');
  const { status, lastTransitionTime, observedGeneration } = conditionOf(after, 'Ready')!;
  const first = conditionOf(before, 'Ready')?.lastTransitionTime;
  assert.deepEqual([status, lastTransitionTime, observedGeneration], ['True', first, 4]);
  assert.equal(saidOf(after, 'Stalled'), undefined);
});

test('beside: one that fails is told, is not tried again at once, and the Tenant stays Ready', () => {
  const decision = decided(failed);
  assert.deepEqual([decision.phase, decision.first, decision.step], ['Ready', null, null]);
  const after = statusOf(failed, statusOf(appended), later);
  assert.deepEqual(
    [after.phase, saidOf(after, 'ExtensionsInstalled'), saidOf(after, 'Ready'), saidOf(after, 'Stalled')],
    ['Ready', 'False PermissionDenied', 'True Reached', 'True PermissionDenied'],
  );
  assert.equal(conditionOf(after, 'ExtensionsInstalled')?.message, failure.message);
});

test('beside: one that fails does not keep the next one from being installed', () => {
  const both = proven(wishing(ready(), ['cube', 'hstore']), { pristine: true, failures: { cube: failure } });
  assert.deepEqual(decided(both).step, install('hstore'));
  const rest = proven(both, {
    pristine: true,
    failures: { cube: failure },
    installed: [world.installed('hstore')],
  });
  assert.deepEqual([decided(rest).phase, decided(rest).step], ['Ready', null]);
});

for (const recorded of [undefined, ...tenantPhases]) {
  test(`beside: with ${recorded ?? 'nothing'} recorded it is installed only where that is the derived phase`, () => {
    const { phase, step } = decideClimb(appended, recordedAt(recorded));
    assert.deepEqual([phase, step !== null], ['Ready', recorded === 'Ready']);
  });
}

test('beside: before the application is in it comes first, in its own place', () => {
  const { phase, step, first } = decided({ ...appended, letIn: false });
  assert.deepEqual([phase, first?.kind, step], ['DatabaseCreated', 'step', install('cube')]);
});

test('beside: it does not wait for what others have to do above it', () => {
  const waiting = world.withObject(appended, { status: undefined });
  const { phase, step, first } = decided(waiting);
  assert.deepEqual([phase, first?.kind, step], ['ExternalSecretCreated', 'wait', install('cube')]);
});

// prettier-ignore
const held: readonly (readonly [sentence: string, facts: TenantFacts, step: string | undefined])[] = [
  ['the role is to be repaired', world.withRole(appended, { inherit: false }), 'RepairRole'],
  ['the registered role has another name', world.withRole(appended, { name: 'sales' }), undefined],
  ['the registered database has another name', world.withDatabase(appended, { name: 'sales' }), undefined],
  ['the row is marked Retained', world.withRow(appended, { state: 'Retained' }), undefined],
  ['another server answers', world.withCatalog(appended, { systemIdentifier: '1' }), undefined],
  ['the password is to be set again', world.withSession(appended, { kind: 'rejected', afterReset: false }), 'SetPassword'],
  ['the ExternalSecret is to be made again', { ...appended, child: known({ kind: 'absent' }) }, 'PublishExternalSecret'],
  ['the ExternalSecret cannot be seen', { ...appended, child: lost }, undefined],
  ['the catalog cannot be read', { ...appended, catalog: lost }, undefined],
];

for (const [sentence, facts, step] of held) {
  test(`beside: nothing is installed while ${sentence}`, () => {
    for (const recorded of tenantPhases) {
      const taken = decideClimb(facts, recordedAt(recorded)).step?.kind;
      assert.ok(taken === undefined || taken === step, taken);
    }
    assert.equal(decided(facts).step?.kind, step);
  });
}

test('beside: one that was tried and failed is no trouble of another rung, and not taken again at once', () => {
  const trouble = { reason: 'ServerError', message: 'cannot install extension' } as const;
  const atTop = decided(appended, trouble);
  assert.deepEqual([atTop.phase, atTop.first, atTop.step], ['Ready', null, null]);
  const waiting = decided(world.withObject(appended, { status: undefined }), trouble);
  assert.equal(waiting.step, null);
  assert.ok(waiting.first?.kind === 'wait' && waiting.first.reason === 'SecretNotSynced');
});
