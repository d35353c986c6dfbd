import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TenantStatus } from '../../src/api/tenant.ts';
import { decideClimb } from '../../src/domain/decide.ts';
import { tenantStatus } from '../../src/domain/status.ts';
import { tenantWish } from '../../src/reconcile/wish.ts';
import { newTenant } from '../reconcile/model-state.ts';
import { later, recordedAt } from './answers.ts';
import { Dice, randomFacts } from './random-facts.ts';
import * as world from './worlds.ts';

/** What Ready asks for: the word for the first loss. */
const tokenShown = ({ conditions = [] }: TenantStatus): string | undefined =>
  /confirm=([0-9a-f]{10})/.exec(conditions.find(({ type }) => type === 'Ready')?.message ?? '')?.[1];

test('in any world status comes to rest, also when a person gives the word that it asks for and every step fails', () => {
  let given = 0;
  for (let seed = 1; seed <= 4000; seed += 1) {
    const asRolled = randomFacts(new Dice(seed));
    let status: TenantStatus = {};
    let { confirm } = asRolled.wish;
    const told: string[] = [];
    for (let call = 0; call < 6; call += 1) {
      const { registryLostSince } = tenantWish({ ...newTenant(), status });
      const facts = world.withWish(asRolled, { registryLostSince, confirm });
      const recorded = recordedAt(status.phase, status.conditions);
      const { step } = decideClimb(facts, recorded);
      const failed = { reason: 'InstanceNotReady', message: 'not entered yet' } as const;
      status = tenantStatus(
        facts,
        decideClimb(facts, recorded, step === null ? undefined : failed),
        status,
        later,
      );
      given += tokenShown(status) === undefined ? 0 : 1;
      confirm = tokenShown(status) ?? confirm;
      told.push(JSON.stringify(status));
    }
    assert.deepEqual(told.slice(4), told.slice(3, -1), `world ${seed}`);
  }
  assert.ok(given >= 10, `a word was asked for ${given} times`);
});
