import assert from 'node:assert/strict';
import { test } from 'node:test';

import { confirmToken } from '../../src/domain/confirm.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { known } from '../../src/domain/fact.ts';
import type { TenantStep } from '../../src/domain/steps.ts';
import { decided } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, live, ready, record } from './worlds.ts';

/** The token that the message gives out. */
function tokenOf(facts: TenantFacts): string {
  const { first } = decided(facts);
  assert.ok(first?.kind === 'wait');
  const [, token] =
    /annotate this object with pgtenancy\.io\/confirm=([0-9a-f]{10})$/.exec(first.message) ?? [];
  assert.ok(token !== undefined, first.message);
  return token;
}

const confirmed = (facts: TenantFacts, token: string): TenantFacts =>
  world.withWish(facts, { confirm: token });

const write = (cas: number): TenantStep => ({ kind: 'WriteCredential', cas, record, password: 'new' });

interface Case {
  readonly sentence: string;
  readonly facts: TenantFacts;
  readonly step: TenantStep;
  /** The same kind of loss, happening once more after the step. */
  readonly again: TenantFacts;
}

const cases: readonly Case[] = [
  {
    sentence: 'a lost row',
    facts: fresh({ credential: known(live) }),
    step: { kind: 'ClaimNames' },
    again: world.withWish(fresh({ credential: known(live) }), { registryLostSince: '2026-02-01T00:00:00Z' }),
  },
  {
    sentence: 'a row of another Instance',
    facts: world.withRow(ready(), { instanceUid: 'uid-gone' }),
    step: { kind: 'MoveToInstance', fromInstanceUid: 'uid-gone' },
    again: world.withInstance(world.withRow(ready(), {}), { uid: 'uid-third' }),
  },
  {
    sentence: 'a record whose history is gone',
    facts: world.withCredential(ready(), { kind: 'absent' }),
    step: write(0),
    again: world.withCredential(ready(), { kind: 'deleted', version: 1 }),
  },
  {
    sentence: 'a deleted record',
    facts: world.withCredential(ready(), { kind: 'deleted', version: 4 }),
    step: write(4),
    again: world.withCredential(ready(), { kind: 'deleted', version: 5 }),
  },
  {
    sentence: 'a record that is not whole',
    facts: world.withCredential(ready(), { ...live, version: 4, record: null }),
    step: write(4),
    again: world.withCredential(ready(), { ...live, version: 5, record: null }),
  },
  {
    sentence: 'a lost database',
    facts: world.withoutDatabase(ready()),
    step: { kind: 'ForgetDatabase' },
    again: world.withRow(world.withoutDatabase(ready()), { databaseOid: '16402' }),
  },
];

for (const { sentence, facts, step, again } of cases) {
  test(`confirm: ${sentence} waits for the word of a person, and then goes on`, () => {
    assert.equal(decided(facts).step, null);
    assert.equal(decided(confirmed(facts, 'yes')).step, null);
    assert.deepEqual(decided(confirmed(facts, tokenOf(facts))).step, step);
  });

  test(`confirm: the token for ${sentence} is spent once that has changed`, () => {
    const spent = confirmed(again, tokenOf(facts));
    assert.equal(decided(spent).step, null);
    assert.notEqual(tokenOf(spent), tokenOf(facts));
  });
}

// A row of another Instance is left out: the token is made of both Instances, so one word moves all their Tenants.
for (const { sentence, facts } of cases.filter(({ step }) => step.kind !== 'MoveToInstance')) {
  test(`confirm: the token for ${sentence} fits no other Tenant`, () => {
    const other = world.withWish(facts, { uid: 'uid-other' });
    assert.equal(decided(confirmed(other, tokenOf(facts))).step, null);
  });
}

test('confirm: a token fits only the loss that it was given out for', () => {
  const tokens = cases.map(({ facts }) => tokenOf(facts));
  assert.equal(new Set(tokens).size, tokens.length);
});

test('confirm: a lost row is told first, and a token is given out for what status tells', () => {
  const { first } = decided(world.withWish(fresh({ credential: known(live) }), { registryLostSince: '' }));
  assert.ok(first?.kind === 'wait' && first.reason === 'RegistryLost');
  assert.doesNotMatch(first.message, /confirm/);
});

test('confirm: a confirmed step still waits for the checkpoint', () => {
  const facts = world.withoutDatabase(ready());
  const { first } = decided(confirmed(facts, tokenOf(facts)));
  assert.equal(
    first?.kind === 'step' && first.message,
    'database "shop_orders" (OID 16401) is gone; a database administrator can restore it under its name and owner; confirmed',
  );
});

test('confirm: a Conflict is never settled by an annotation', () => {
  const conflicts = [
    world.withRole(ready(), { name: 'sales' }),
    world.withNamedDatabase(ready(), { ownerOid: '90000' }),
    world.withCatalog(ready(), { role: { registered: null, named: world.role } }),
    ready({ child: known({ kind: 'foreign' }) }),
  ];
  for (const facts of conflicts) {
    const { first } = decided(facts);
    assert.ok(first?.kind === 'wait' && first.reason === 'Conflict');
    assert.doesNotMatch(first.message, /confirm/);
  }
});

test('confirm: the parts of a token cannot be shifted into each other', () => {
  assert.notEqual(confirmToken('DatabaseLost', ['ab', 'c']), confirmToken('DatabaseLost', ['a', 'bc']));
  assert.notEqual(confirmToken('DatabaseLost', ['a']), confirmToken('CredentialLost', ['a']));
});
