import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases, type TenantPhase, type TenantStatus } from '../../src/api/tenant.ts';
import { decideClimb } from '../../src/domain/decide.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type { TenantFacts } from '../../src/domain/facts.ts';
import { conditionOf, later, recordedAt, saidOf, statusOf } from './answers.ts';
import * as world from './worlds.ts';
import { fresh, lost, ready } from './worlds.ts';

/** A world for each phase, in which a step leads up from there. */
const standing: Readonly<
  Record<Exclude<TenantPhase, 'Ready' | 'ExternalSecretCreated' | 'CredentialProjected'>, TenantFacts>
> = {
  Planned: fresh(),
  CredentialCreated: world.withoutRole(ready()),
  RoleCreated: world.withRow(world.withoutDatabase(ready()), { databaseOid: null }),
  DatabaseCreated: ready({ child: known({ kind: 'absent' }) }),
};

for (const [phase, facts] of Object.entries(standing)) {
  for (const recorded of [undefined, ...tenantPhases]) {
    test(`checkpoint: standing at ${phase} with ${recorded ?? 'nothing'} recorded`, () => {
      const decision = decideClimb(facts, recordedAt(recorded));
      assert.equal(decision.phase, phase);
      assert.equal(decision.first?.kind, 'step');
      assert.equal(decision.step !== null, recorded === phase);
    });
  }
}

for (const recorded of [undefined, ...tenantPhases]) {
  test(`checkpoint: a Tenant that is Ready with ${recorded ?? 'nothing'} recorded is told so, and nothing is done`, () => {
    const decision = decideClimb(ready(), recordedAt(recorded));
    assert.deepEqual([decision.phase, decision.step, decision.first], ['Ready', null, null]);
  });
}

/* What a Tenant may have to say when a look fails: good, stalled with something told, and half-way. */
const badExtension = world.withWish(ready({ namespaceAllowed: known(false) }), {
  extensions: [{ name: 'bad' }],
});
const histories: Readonly<Record<string, TenantFacts>> = {
  'a Tenant that is Ready': ready(),
  'a Tenant with something to tell': badExtension,
  'a Tenant that waits for a person': world.withoutDatabase(ready()),
};

/** Each fact that can be unknown, and the rung that then cannot be judged. */
const looks = {
  instance: 'CredentialCreated',
  catalog: 'CredentialCreated',
  credential: 'CredentialCreated',
  session: 'ExternalSecretCreated',
  child: 'ExternalSecretCreated',
} as const;

const stalling = unknown('OpenBaoForbidden', 'the last look was refused');

for (const [subject, before] of Object.entries(histories)) {
  for (const [fact, rung] of Object.entries(looks)) {
    for (const phase of tenantPhases) {
      test(`unknown: ${subject}, recorded at ${phase}, keeps all but ${rung} when ${fact} is unknown`, () => {
        const recorded: TenantStatus = { ...statusOf(before), phase };
        const facts: TenantFacts = { ...ready(), wish: { ...before.wish, generation: 4 }, [fact]: lost };
        const decision = decideClimb(facts, recordedAt(phase, recorded.conditions));
        assert.deepEqual([decision.phase, decision.step], [phase, null]);
        const status = statusOf(facts, recorded, later);
        const others = (conditions: TenantStatus['conditions']) =>
          conditions?.filter(({ type }) => type !== rung && type !== 'Reconciling');
        assert.deepEqual(others(status.conditions), others(recorded.conditions));
        assert.deepEqual(conditionOf(status, rung), {
          type: rung,
          status: 'Unknown',
          reason: 'ServerError',
          message: 'the last look failed',
          lastTransitionTime: later,
          ...concludedAt(conditionOf(recorded, rung)?.observedGeneration),
        });
        // What goes on saying Ready speaks of an older generation.
        const isReady = saidOf(recorded, 'Ready') === 'True Reached';
        assert.equal(saidOf(status, 'Reconciling'), isReady ? 'True ServerError' : undefined);
      });
    }
  }
}

const concludedAt = (generation: number | undefined): object =>
  generation === undefined ? {} : { observedGeneration: generation };

test('unknown: an application that uses up its connections lowers nothing, and nobody need act', () => {
  const before = statusOf(ready());
  const delayed = unknown('LoginDelayed', 'too many connections for role');
  const after = statusOf(ready({ session: delayed }), before, later);
  assert.deepEqual([after.phase, conditionOf(after, 'Ready')], ['Ready', conditionOf(before, 'Ready')]);
  assert.equal(conditionOf(after, 'ExternalSecretCreated')?.reason, 'LoginDelayed');
  assert.equal(conditionOf(after, 'Stalled'), undefined);
});

test('unknown: when it will not mend itself, Stalled says so', () => {
  const facts = ready({ credential: stalling });
  const stalled = conditionOf(statusOf(facts, statusOf(ready()), later), 'Stalled');
  assert.deepEqual([stalled?.status, stalled?.reason], ['True', 'OpenBaoForbidden']);
});

test('unknown: a Stalled that was there says what stalls now', () => {
  const before = statusOf(world.withoutDatabase(ready()));
  const after = statusOf(ready({ credential: stalling }), before, later);
  assert.equal(conditionOf(before, 'Stalled')?.reason, 'DatabaseLost');
  assert.equal(conditionOf(after, 'Stalled')?.reason, 'OpenBaoForbidden');
});

test('unknown: with nothing recorded the phase is Planned, and no condition is True without being seen', () => {
  const status = statusOf(ready({ catalog: lost, session: lost, child: lost, credential: lost }));
  assert.equal(status.phase, 'Planned');
  assert.deepEqual(
    status.conditions?.map(({ type, status: said }) => `${type} ${said}`),
    [
      'CredentialCreated Unknown',
      'RoleCreated Unknown',
      'DatabaseCreated Unknown',
      'ExtensionsInstalled True',
      'ExternalSecretCreated Unknown',
      'CredentialProjected Unknown',
      'Ready Unknown',
    ],
  );
});

test('unknown: above a rung that is known not to hold it changes nothing', () => {
  const before = statusOf(ready());
  const facts = world.withoutRole(ready({ child: lost }));
  assert.equal(decideClimb(facts, recordedAt('CredentialCreated')).step?.kind, 'CreateRole');
  const after = statusOf(facts, before, later);
  assert.deepEqual(conditionOf(after, 'ExternalSecretCreated'), conditionOf(before, 'ExternalSecretCreated'));
});
