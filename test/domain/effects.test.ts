import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RoleView, TenantCatalog } from '../../src/domain/catalog.ts';
import { ownDatabase } from '../../src/domain/database-checks.ts';
import type { DescentFacts } from '../../src/domain/facts.ts';
import type { DescentStep, TenantStep } from '../../src/domain/steps.ts';
import { decided, decidedDown } from './answers.ts';
import { Dice, randomFacts } from './random-facts.ts';
import * as world from './worlds.ts';

const worlds = 4000;

/** Random worlds in which the management role has left a grant, of whatever rank it and the role are. */
function* grantsLeft(): Generator<DescentFacts> {
  for (let seed = 1; seed <= worlds; seed += 1) {
    const dice = new Dice(seed);
    const facts = randomFacts(dice);
    if (!facts.catalog.known || facts.catalog.value.role.registered === null) continue;
    const { role } = facts.catalog.value;
    const superuser = dice.oneOf([true, false]);
    yield world.withCatalog(facts, {
      manager: { superuser: dice.oneOf([true, false]), entersDatabases: false },
      role: { ...role, registered: { ...role.registered, superuser, selfGranted: true } as RoleView },
    });
  }
}

const withRole = (catalog: TenantCatalog, change: Partial<RoleView>): Partial<TenantCatalog> => ({
  role: { ...catalog.role, registered: { ...catalog.role.registered, ...change } as RoleView },
});

/** What each step leaves behind at least, as its statements do it; undefined: not looked at here. */
function effectOf(catalog: TenantCatalog, { kind }: TenantStep | DescentStep) {
  const { row, role, manager } = catalog;
  if (kind === 'MarkRetained' && row !== null) {
    const databaseOid = ownDatabase(catalog)?.oid ?? row.databaseOid;
    return { row: { ...row, state: 'Retained' as const, databaseOid } };
  }
  // A superuser's membership is not given back by somebody who is none: nothing changes then, and nothing fails.
  const may = manager.superuser || role.registered?.superuser !== true;
  return kind === 'ReturnMembership' ? withRole(catalog, { selfGranted: !may }) : undefined;
}

for (const [way, decide] of [
  ['up', decided],
  ['down', decidedDown],
] as const) {
  test(`in any world a step on the way ${way} that changed what it can is not asked for again`, () => {
    let seen = 0;
    for (const facts of grantsLeft()) {
      const { step } = decide(facts);
      const effect = step === null || !facts.catalog.known ? undefined : effectOf(facts.catalog.value, step);
      if (effect === undefined) continue;
      seen += 1;
      assert.notEqual(decide(world.withCatalog(facts, effect)).step?.kind, step?.kind, JSON.stringify(facts));
    }
    assert.ok(seen >= 10, `it came up ${seen} times`);
  });
}
