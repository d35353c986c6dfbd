import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tenantPhases } from '../../src/api/tenant.ts';
import type { DatabaseView } from '../../src/domain/catalog.ts';
import { decideClimb, decideDescent } from '../../src/domain/decide.ts';
import type { DescentFacts } from '../../src/domain/facts.ts';
import { answerOf, decided, decidedDown, recordedAt, type Answer } from './answers.ts';
import * as world from './worlds.ts';
import { leaving } from './worlds.ts';

/*
 * After a restore from a dump, OIDs are dealt anew: the registered one may be somebody else's role or database. It is
 * ours only where name and owner agree as well.
 */

const everything = leaving('Delete');
const withdrawn = world.withChild(everything, { kind: 'absent' });
const shut = { allowConnections: false } as const;
const aside = { ...world.database, ...shut, name: 'pto_drop_uid-tenant' };
const buried = (registered: DatabaseView | null, tombstone: DatabaseView) =>
  world.withCatalog(withdrawn, { database: { registered, named: null, tombstone } });
const theirs = { ownerOid: '90000', ownerName: 'dba' };
const strange = { ...aside, ...theirs };

interface Case {
  readonly sentence: string;
  readonly facts: DescentFacts;
  readonly up: Answer;
  readonly down: Answer;
  readonly message: RegExp;
}

// prettier-ignore
const cases: readonly Case[] = [
  { sentence: 'a role of another name', facts: world.withRole(withdrawn, { name: 'sales', superuser: true }), up: 'wait Conflict', down: 'wait Conflict', message: /role \(OID 16400\) is named "sales", not "shop_orders"/ },
  { sentence: 'a role of another name that may not log in', facts: world.withRole(withdrawn, { name: 'sales', canLogin: false }), up: 'wait Conflict', down: 'wait Conflict', message: /"sales"/ },
  { sentence: 'a role of another name, and no database', facts: world.withCatalog(world.withRole(withdrawn, { name: 'sales' }), { database: { registered: null, named: null, tombstone: null } }), up: 'wait Conflict', down: 'wait Conflict', message: /"sales"/ },
  { sentence: 'a role of another name beside one of ours', facts: world.withCatalog(withdrawn, { role: { registered: { ...world.role, name: 'sales' }, named: { ...world.role, oid: '90000' } } }), up: 'wait Conflict', down: 'wait Conflict', message: /"sales"/ },
  { sentence: 'a database of another name', facts: world.withDatabase(withdrawn, { name: 'sales', publicConnect: true }), up: 'wait DatabaseRenamed', down: 'wait DatabaseRenamed', message: /database \(OID 16401\) is named "sales", not "shop_orders"/ },
  { sentence: 'a database of another name and owner', facts: world.withDatabase(withdrawn, { name: 'sales', ...theirs }), up: 'wait DatabaseRenamed', down: 'wait DatabaseRenamed', message: /"sales"/ },
  { sentence: 'a closed database of another name', facts: world.withDatabase(withdrawn, { name: 'sales', ...shut }), up: 'wait DatabaseRenamed', down: 'wait DatabaseRenamed', message: /"sales"/ },
  { sentence: 'a database of another name whose drop was interrupted', facts: world.withDatabase(withdrawn, { name: 'sales', connectionLimit: -2 }), up: 'wait DatabaseRenamed', down: 'wait DatabaseRenamed', message: /"sales"/ },
];

for (const { sentence, facts, up, down, message } of cases) {
  test(`reused OID: ${sentence} is never changed on the way up`, () => {
    assert.equal(answerOf(decided(facts)), up);
    for (const recorded of [undefined, ...tenantPhases])
      assert.equal(decideClimb(facts, recordedAt(recorded)).step, null);
  });

  test(`reused OID: ${sentence} is never taken apart, and not even the ExternalSecret is withdrawn`, () => {
    for (const child of [facts.child, everything.child]) {
      const decision = decidedDown({ ...facts, child });
      assert.equal(answerOf(decision), down);
      assert.match(decision.first?.kind === 'wait' ? decision.first.message : '', message);
      for (const recorded of [undefined, ...tenantPhases])
        assert.equal(decideDescent({ ...facts, child }, recordedAt(recorded)).step, null);
    }
  });
}

// A changed owner of what bears our OID and our name is put right on the way up; for taking it apart it is too little.
// prettier-ignore
const strangers: readonly (readonly [sentence: string, facts: DescentFacts, message: RegExp])[] = [
  ['a database of another owner', world.withDatabase(withdrawn, theirs), /database "shop_orders" belongs to "dba", not to "shop_orders"/],
  ['a closed database of another owner', world.withDatabase(withdrawn, { ...theirs, ...shut }), /belongs to "dba"/],
  ['a database aside of another owner', buried(strange, strange), /database "pto_drop_uid-tenant" belongs to "dba"/],
  ['a database aside that is not the registered one', buried(world.database, { ...aside, oid: '90001' }), /"pto_drop_uid-tenant" exists and is not the registered one/],
  ['a database aside that nobody registered', buried(null, { ...aside, oid: '90001' }), /is not the registered one/],
];

for (const [sentence, facts, message] of strangers) {
  test(`reused OID: ${sentence} is not taken apart`, () => {
    const decision = decidedDown(facts);
    assert.deepEqual([answerOf(decision), decision.step], ['wait Conflict', null]);
    assert.match(decision.first?.kind === 'wait' ? decision.first.message : '', message);
  });
}

test('reused OID: our database is put under our role again on the way up only under its own name', () => {
  const step = (change: object) =>
    decided(world.withDatabase(withdrawn, { ...theirs, ...change })).step?.kind;
  assert.deepEqual([step({}), step({ name: 'sales' })], ['OpenDatabase', undefined]);
});

test('reused OID: under Retain the names are marked, and nothing that is not ours is opened again', () => {
  const worlds = [...cases.map(({ facts }) => facts), ...strangers.map(([, facts]) => facts)];
  for (const facts of worlds) {
    const keeping = world.withWish(facts, { deletionPolicy: 'Retain' });
    assert.equal(decidedDown(keeping).step?.kind, 'MarkRetained');
  }
});

test('reused OID: where everything agrees the deletion goes on', () => {
  const step = (facts: DescentFacts) => decidedDown(facts).step?.kind;
  assert.equal(step(withdrawn), 'CloseDatabase');
  assert.equal(step(buried(aside, aside)), 'DropDatabase');
  assert.equal(step(world.withoutDatabase(withdrawn)), 'DropRole');
});

// prettier-ignore
const unregistered: readonly (readonly [sentence: string, facts: DescentFacts, down: Answer])[] = [
  ['the database is there under its name', world.withCatalog(world.withRow(withdrawn, { roleOid: null, databaseOid: null }), { role: { registered: null, named: null }, database: { registered: null, named: world.database, tombstone: null } }), 'wait Conflict'],
  ['the role is there under its name', world.withCatalog(world.withRow(withdrawn, { roleOid: null, databaseOid: null }), { role: { registered: null, named: world.role }, database: { registered: null, named: null, tombstone: null } }), 'wait Conflict'],
  ['nothing is there any more', world.withCatalog(world.withRow(withdrawn, { roleOid: null, databaseOid: null }), { role: { registered: null, named: null }, database: { registered: null, named: null, tombstone: null } }), 'step Deleting'],
];

for (const [sentence, facts, down] of unregistered) {
  test(`a row that knows no OID any more, and ${sentence}: ${down}`, () =>
    assert.equal(answerOf(decidedDown({ ...facts, letIn: true })), down));
}

test('a Tenant that was never handed over is deleted although its names are taken meanwhile', () => {
  const [, facts] = unregistered[0] ?? assert.fail();
  assert.equal(answerOf(decidedDown({ ...facts, letIn: false })), 'step Deleting');
});
