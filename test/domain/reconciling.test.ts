import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instanceStatusShape, type InstanceStatus } from '../../src/api/instance.ts';
import { tenantStatusShape, type TenantStatus } from '../../src/api/tenant.ts';
import { unknown } from '../../src/domain/fact.ts';
import type { InstanceFacts, Session, TenantFacts } from '../../src/domain/facts.ts';
import { decideInstance, instanceStatus } from '../../src/domain/instance-decide.ts';
import { recordStatus } from '../status-record.ts';
import { conditionOf, earlier, later, saidOf, statusDownOf, statusOf } from './answers.ts';
import * as world from './worlds.ts';
import { leaving, lost, ready, readyInstance } from './worlds.ts';

/* What is recorded was concluded for generation 3; by now the object is at generation 4. */

const changed = (facts: TenantFacts, change: Partial<TenantFacts['wish']> = {}): TenantFacts =>
  world.withWish(facts, { generation: 4, ...change });
const cube = [{ name: 'cube' }];
const wishingCube = (session: Partial<Extract<Session, { kind: 'proven' }>> = {}): TenantFacts =>
  world.withSession(changed(ready(), { extensions: cube }), { ...world.proven, ...session });
const authenticated = (locked: boolean): TenantFacts =>
  world.withSession(wishingCube(), { kind: 'authenticated', ...(locked ? { locked } : {}) });

const offers = [world.offer('cube')];
const appended = wishingCube({ offers });
const mending = { cube: { reason: 'ServerError', message: 'extension "cube": it broke' } } as const;
const refused = unknown('OpenBaoForbidden', 'the last look was refused');

const before = statusOf(ready());
const withCube = statusOf(
  world.withWish(wishingCube({ installed: [world.installed('cube')] }), { generation: 3 }),
);
const withBad = statusOf(world.withWish(wishingCube(), { generation: 3 }));
const underWay = statusOf(appended, before);

type Row = readonly [sentence: string, facts: TenantFacts, recorded: TenantStatus, said: string | undefined];

// prettier-ignore
const rows: readonly Row[] = [
  ['a change that was made', changed(ready()), before, undefined],
  ['a change while PostgreSQL is away', changed(ready({ catalog: lost, session: lost })), before, 'True ServerError'],
  ['a change while OpenBao is away', changed(ready({ credential: lost })), before, 'True ServerError'],
  ['a change while OpenBao refuses, which stalls', changed(ready({ credential: refused })), before, undefined],
  ['no change while PostgreSQL is away', ready({ catalog: lost, session: lost }), before, undefined],
  ['a change that takes Ready away', world.withoutRole(changed(ready())), before, undefined],
  ['a login that is put off', world.withSession(changed(ready()), { kind: 'deferred' }), before, undefined],
  ['an appended extension', appended, before, 'True ExtensionsMissing'],
  ['an appended extension, a look later', appended, underWay, 'True ExtensionsMissing'],
  ['an appended extension while PostgreSQL is away', { ...appended, catalog: lost, session: lost }, underWay, 'True ServerError'],
  ['an appended extension that failed and may yet come', wishingCube({ offers, pristine: true, failures: mending }), underWay, 'True ServerError'],
  ['an appended extension that cannot be had, which stalls', wishingCube(), before, undefined],
  ['an appended extension that is there', wishingCube({ offers, installed: [world.installed('cube')] }), underWay, undefined],
  ['an appended extension behind connections that are used up', authenticated(false), before, 'True LoginDelayed'],
  ['an appended extension behind a lock', authenticated(true), before, 'True LockHeld'],
  ['an extension that was dropped underneath', world.withWish(appended, { generation: 3 }), withCube, undefined],
];

for (const [sentence, facts, recorded, said] of rows) {
  test(`Reconciling: ${sentence}: ${said ?? 'absent'}`, () => {
    const status = statusOf(facts, recorded, later);
    assert.equal(saidOf(status, 'Reconciling'), said);
    if (said !== undefined) assert.equal(conditionOf(status, 'Ready')?.status, 'True');
    tenantStatusShape.strict().parse(JSON.parse(JSON.stringify(status)));
    assert.equal(JSON.stringify(statusOf(facts, status, later)), JSON.stringify(status));
  });
}

test('Reconciling says what is waited for, since when, and for which generation', () => {
  const away = changed(ready({ catalog: lost, session: lost }));
  const first = conditionOf(statusOf(away, before, earlier), 'Reconciling');
  assert.deepEqual(first, {
    type: 'Reconciling',
    status: 'True',
    reason: 'ServerError',
    message: 'the last look failed',
    lastTransitionTime: earlier,
    observedGeneration: 4,
  });
  const again = statusOf(world.withWish(away, { generation: 5 }), statusOf(away, before, earlier), later);
  assert.deepEqual(conditionOf(again, 'Reconciling'), { ...first, observedGeneration: 5 });
});

test('Reconciling leaves all others as they are, and goes when the change was made', () => {
  const after = statusOf(changed(ready({ child: lost })), before, later);
  const others = (status: TenantStatus) =>
    status.conditions?.filter(({ type }) => type !== 'Reconciling' && type !== 'ExternalSecretCreated');
  assert.deepEqual(others(after), others(before));
  assert.equal(conditionOf(statusOf(changed(ready()), after, later), 'Reconciling'), undefined);
});

test('Reconciling is listed before a Stalled that is only kept, so that kstatus goes by what is looked at next', () => {
  const status = statusOf(changed(ready({ catalog: lost, session: lost }), { extensions: cube }), withBad);
  assert.deepEqual(
    status.conditions?.slice(-3).map(({ type, reason }) => `${type} ${reason}`),
    ['Ready Reached', 'Reconciling ServerError', 'Stalled ExtensionUnavailable'],
  );
});

test('Reconciling is not there before anything was reached, nor on the way down', () => {
  const nothing = ready({ catalog: lost, session: lost, child: lost, credential: lost });
  assert.equal(conditionOf(statusOf(changed(nothing)), 'Reconciling'), undefined);
  const down = leaving('Delete');
  assert.equal(conditionOf(statusDownOf(down, underWay, later), 'Reconciling'), undefined);
  assert.equal(
    conditionOf(statusDownOf({ ...down, catalog: lost }, underWay, later), 'Reconciling'),
    undefined,
  );
});

test('extensions that could not be looked at are not told to be there', () => {
  const status = statusOf(authenticated(true));
  assert.equal(saidOf(status, 'ExtensionsInstalled'), 'Unknown LockHeld');
  assert.equal(conditionOf(status, 'ExtensionsInstalled')?.observedGeneration, undefined);
  assert.equal(saidOf(status, 'Reconciling'), 'True LockHeld');
});

test('a status that nobody wrote yet is like none', () => {
  const unwritten = { observedGeneration: -1 };
  assert.deepEqual(statusOf(world.fresh(), unwritten), statusOf(world.fresh()));
  const facts = readyInstance({ server: lost, registry: lost });
  assert.deepEqual(instanceStatusOf(facts, unwritten), instanceStatusOf(facts));
});

test('Reconciling: a changed Instance that cannot be reached is not finished, although its Tenants are served', () => {
  const recorded = instanceStatusOf(readyInstance());
  const facts = readyInstance({ server: lost, registry: lost });
  const generation = facts.wish.generation + 1;
  const edited: InstanceFacts = { ...facts, wish: { ...facts.wish, generation } };
  const said = (status: InstanceStatus) =>
    status.conditions?.slice(4).map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
  const away = instanceStatusOf(edited, recorded);
  assert.deepEqual(said(away), ['Ready True Reached', 'Reconciling True ServerError']);
  instanceStatusShape.strict().parse(JSON.parse(JSON.stringify(away)));
  assert.deepEqual(said(instanceStatusOf(facts, recorded)), ['Ready True Reached']);
  const back = readyInstance({ wish: edited.wish });
  assert.deepEqual(said(instanceStatusOf(back, away)), ['Ready True Reached']);
});

function instanceStatusOf(facts: InstanceFacts, recorded: InstanceStatus = {}): InstanceStatus {
  const decision = decideInstance(facts, recorded.phase);
  return recordStatus('PostgreSQLInstance', instanceStatus(facts, decision, recorded, earlier));
}
