import assert from 'node:assert/strict';
import { test } from 'node:test';

import { passingConditionTypes } from '../../src/api/conditions.ts';
import { instancePhases } from '../../src/api/instance.ts';
import { tenantPhases, type TenantPhase, type TenantStatus } from '../../src/api/tenant.ts';
import type { TenantCatalog } from '../../src/domain/catalog.ts';
import { decideClimb, decideDescent, type Decision } from '../../src/domain/decide.ts';
import type { DescentFacts, TenantFacts } from '../../src/domain/facts.ts';
import { decideInstance, instanceStatus } from '../../src/domain/instance-decide.ts';
import type { DescentStep, TenantStep } from '../../src/domain/steps.ts';
import { recordStatus } from '../status-record.ts';
import { decided, decidedDown, earlier, later, recordedAt, statusDownOf, statusOf } from './answers.ts';
import { Dice, randomFacts, randomInstanceFacts, randomPhase } from './random-facts.ts';
import * as world from './worlds.ts';

const worlds = 4000;

/** Many worlds; the seed of one in which the property fails is in the message. */
function forAll(property: (facts: DescentFacts, dice: Dice) => void): void {
  for (let seed = 1; seed <= worlds; seed += 1) {
    const dice = new Dice(seed);
    const facts = randomFacts(dice);
    try {
      property(facts, dice);
    } catch (error) {
      throw new Error(`world ${seed}: ${JSON.stringify(facts)}`, { cause: error });
    }
  }
}

/** Properties of the steps of that kind, which must have come up often enough to mean something. */
function whenever<Step extends { readonly kind: string }>(
  decide: (facts: DescentFacts) => Decision<Step>,
  kinds: readonly Step['kind'][],
  property: (facts: DescentFacts, step: Step) => void,
): void {
  const seen = new Map<string, number>();
  forAll((facts) => {
    const { step } = decide(facts);
    if (step === null || !kinds.includes(step.kind)) return;
    seen.set(step.kind, (seen.get(step.kind) ?? 0) + 1);
    property(facts, step);
  });
  for (const kind of kinds)
    assert.ok((seen.get(kind) ?? 0) >= 3, `${kind} came up ${seen.get(kind) ?? 0} times`);
}

const ourRow = ({ catalog, instance, settings }: TenantFacts): boolean =>
  catalog.known &&
  instance.known &&
  instance.value.kind === 'found' &&
  catalog.value.row?.tenantUid === world.wish.uid &&
  catalog.value.row.installation === settings.installation &&
  catalog.value.row.instanceUid === instance.value.uid;

const sameServer = ({ catalog, instance }: TenantFacts): boolean => {
  if (!catalog.known) return false;
  const { systemIdentifier, registeredSystemIdentifier } = catalog.value;
  const found = instance.known && instance.value.kind === 'found' ? instance.value.systemIdentifier : '';
  return (
    systemIdentifier === null ||
    (systemIdentifier === registeredSystemIdentifier && ['', systemIdentifier].includes(found))
  );
};

const catalogOf = ({ catalog }: TenantFacts) => {
  assert.ok(catalog.known);
  return catalog.value;
};

const checkpoint = (
  decision: Decision<TenantStep | DescentStep>,
  recorded: TenantPhase | undefined,
): void => {
  const { phase, step, first } = decision;
  assert.ok(tenantPhases.includes(phase));
  if (step !== null) {
    assert.equal(phase, recorded);
    // Beside everything else only an extension is installed and a membership given back: both lower nothing.
    if (first?.kind === 'step') assert.deepEqual(first.step, step);
    else assert.ok(['InstallExtension', 'ReturnMembership'].includes(step.kind), step.kind);
  }
  if (first?.kind === 'unknown') assert.equal(step, null);
};

test('in any world a step is taken only from the phase that is recorded, and none on what is unknown', () => {
  forAll((facts, dice) => {
    const recorded = randomPhase(dice);
    const up = decideClimb(facts, recordedAt(recorded));
    checkpoint(up, recorded);
    if (up.first?.kind === 'unknown') assert.equal(up.phase, recorded ?? 'Planned');
    assert.equal(up.first === null, up.phase === 'Ready' && up.first?.kind !== 'unknown');
    checkpoint(decideDescent(facts, recordedAt(recorded)), recorded);
  });
});

test('in any world the recorded phase decides whether a step is taken, never which', () => {
  forAll((facts) => {
    const steps = tenantPhases.map((phase) => decideClimb(facts, recordedAt(phase)).step);
    assert.ok(steps.filter((step) => step !== null).length <= 1);
  });
});

const passing: readonly string[] = passingConditionTypes;

test('in any world an unknown first verdict leaves every other condition to the byte', () => {
  forAll((facts, dice) => {
    const before: TenantStatus = { ...statusOf(randomFacts(dice)), phase: randomPhase(dice) ?? 'Planned' };
    const { first } = decideClimb(facts, recordedAt(before.phase, before.conditions));
    if (first?.kind !== 'unknown') return;
    const after = statusOf(facts, before, later);
    const kept = after.conditions?.filter((now) =>
      before.conditions?.some((then) => JSON.stringify(then) === JSON.stringify(now)),
    );
    const changed = after.conditions?.filter((condition) => !kept?.includes(condition)) ?? [];
    assert.equal(after.phase, before.phase);
    // Its own condition, Stalled where that has another reason now, and Reconciling, which may also go.
    assert.ok((kept?.length ?? 0) >= (before.conditions?.length ?? 0) - 3);
    for (const { type, status } of changed) assert.ok(status === 'Unknown' || passing.includes(type), type);
    assert.ok(!changed.some(({ type }) => type === 'Ready'));
  });
});

test('in any world the status is the same bytes the second time', () => {
  forAll((facts) => {
    for (const tell of [statusOf, statusDownOf]) {
      // The phase is told first; what it was before may not matter any more.
      const first = tell(facts, tell(facts, {}, earlier), earlier);
      assert.equal(JSON.stringify(tell(facts, first, later)), JSON.stringify(first));
    }
  });
});

test('in any world the condition of every rung is there, and Ready is True only at the top', () => {
  forAll((facts) => {
    const { findings, first } = decided(facts);
    const types = findings.map(({ type }) => type).filter((type) => type !== 'Stalled');
    assert.equal(new Set(types).size, 7);
    const ready = findings.find(({ type }) => type === 'Ready');
    assert.equal(ready?.status === 'True', first === null);
  });
});

test('in any world a Tenant is Ready only with everything seen, and a login made or still good', () => {
  let seen = 0;
  forAll((facts) => {
    if (decided(facts).first !== null) return;
    seen += 1;
    const { catalog, credential, session, child } = facts;
    assert.ok(catalog.known && credential.known && session.known && child.known);
    assert.ok(catalog.value.row?.installation === 'prod' && sameServer(facts));
    assert.ok(credential.value.kind === 'live' && child.value.kind === 'ours');
    assert.ok(['proven', 'deferred'].includes(session.value.kind));
  });
  assert.ok(seen >= 3, `Ready came up ${seen} times`);
});

/** What bears a registered OID is ours only where the names agree too: OIDs are dealt anew after a restore. */
const namesAgree = ({ row, role, database: { registered, tombstone } }: TenantCatalog): boolean =>
  row !== null &&
  (role.registered === null || role.registered.name === row.roleName) &&
  (registered === null || registered.name === row.databaseName || registered.oid === tombstone?.oid) &&
  (tombstone === null || tombstone.oid === row.databaseOid);

/** The owner can be judged only while the role is there; without it the names alone have to do. */
const ownerAgrees = ({ row, role, database: { registered, named, tombstone } }: TenantCatalog): boolean => {
  const found = tombstone ?? registered ?? (named?.ownerOid === row?.roleOid ? named : null);
  return found === null || role.registered === null || found.ownerOid === role.registered.oid;
};

/** One more extension is asked for, and could be installed. */
const appending = (facts: DescentFacts): DescentFacts =>
  world.withSession(world.withWish(facts, { extensions: [{ name: 'cube' }] }), {
    ...world.proven,
    offers: [world.offer('cube')],
  });

test('in any world what bears a registered OID is changed on the way up only under its own name', () => {
  const property = (facts: DescentFacts, { kind }: TenantStep) => {
    const { row, role, database } = catalogOf(facts);
    assert.ok(row !== null && row.state === 'Active');
    assert.equal(role.registered?.name, row.roleName);
    if (kind === 'RepairRole') return;
    assert.ok(database.registered === null || database.registered.name === row.databaseName);
    // Only a changed owner is put right; everything else that touches a database needs it to be as it should.
    if (kind !== 'OpenDatabase' && kind !== 'CreateDatabase') assert.ok(ownerAgrees(catalogOf(facts)));
  };
  const kinds = ['RepairRole', 'SetPassword', 'OpenDatabase', 'CreateDatabase'] as const;
  whenever<TenantStep>(decided, kinds, property);
  whenever<TenantStep>((facts) => decided(appending(facts)), ['InstallExtension'], property);
});

test('in any world an extension is installed beside only once the application is in, and lowers nothing', () => {
  let seen = 0;
  forAll((asRolled) => {
    const facts = appending(asRolled);
    const { step, first, phase, findings } = decided(facts);
    if (step?.kind !== 'InstallExtension' || first?.kind === 'step') return;
    seen += 1;
    assert.ok(facts.letIn && tenantPhases.indexOf(phase) >= tenantPhases.indexOf('ExternalSecretCreated'));
    const without = decided(world.withWish(facts, { extensions: [] }));
    assert.deepEqual([without.phase, without.first], [phase, first]);
    const said = findings.find(({ type }) => type === 'ExtensionsInstalled');
    assert.deepEqual([said?.status, said?.reason], ['False', 'ExtensionsMissing']);
  });
  assert.ok(seen >= 3, `it came up ${seen} times`);
});

test('in any world a session that claims to run something changes nothing while the database is there', () => {
  forAll((facts) => {
    if (!facts.catalog.known) return;
    const { database } = facts.catalog.value;
    if (database.registered === null && database.named === null) return;
    const [plain, ...claims] = ([null, 'create', 'drop'] as const).map((inFlight) =>
      decided(world.withCatalog(facts, { inFlight })),
    );
    for (const claim of claims) assert.deepEqual(claim, plain);
  });
});

test('in any world PostgreSQL is written to only where the row is ours, on the server that it was made for', () => {
  const kinds = ['CreateRole', 'RepairRole', 'CreateDatabase', 'OpenDatabase', 'SetPassword'] as const;
  whenever<TenantStep>(decided, kinds, (facts, { kind }) => {
    assert.ok(sameServer(facts) && catalogOf(facts).row?.installation === 'prod');
    assert.ok(facts.instance.known && (facts.instance.value.kind === 'absent' || ourRow(facts)));
    const { role, database, row } = catalogOf(facts);
    if (kind === 'CreateRole') assert.deepEqual(role, { registered: null, named: null });
    if (kind === 'CreateDatabase')
      assert.deepEqual([database.registered, database.named, row?.databaseOid], [null, null, null]);
    if (kind === 'OpenDatabase')
      assert.ok(database.registered !== null || database.named?.ownerOid === row?.roleOid);
  });
});

test('in any world names are claimed only where nobody has them, or by the word of a person', () => {
  whenever<TenantStep>(decided, ['ClaimNames'], (facts) => {
    const { row, role, database, holders } = catalogOf(facts);
    assert.ok(sameServer(facts) && row === null);
    const free = role.named === null && database.named === null && holders.length === 0;
    assert.ok(free || facts.wish.confirm !== undefined);
  });
});

test('in any world a password is made only for the first record, for a rotation, or by the word of a person', () => {
  whenever<TenantStep>(decided, ['WriteCredential'], ({ wish, credential, catalog }, step) => {
    assert.ok(step.kind === 'WriteCredential' && credential.known && catalog.known);
    const stored = credential.value;
    if (step.password === 'keep') {
      assert.ok(stored.kind === 'live' && stored.record !== null);
      assert.ok(wish.rotation === '' || wish.rotation === stored.record.rotation);
      assert.equal(step.record.rotation, stored.record.rotation);
      return;
    }
    const first = stored.kind === 'absent' && catalog.value.row?.roleOid === null;
    const before = stored.kind === 'live' ? stored.record : null;
    const rotation = before !== null && wish.rotation !== '' && before.rotation !== wish.rotation;
    assert.ok(first || rotation || wish.confirm !== undefined);
    assert.equal(step.cas, stored.kind === 'absent' ? 0 : stored.version);
  });
});

test('in any world what was lost or moved is given up only by the word of a person', () => {
  whenever<TenantStep>(decided, ['ForgetDatabase', 'MoveToInstance'], ({ wish }) =>
    assert.notEqual(wish.confirm, undefined),
  );
});

const destroying = ['CloseDatabase', 'TombstoneDatabase', 'DropDatabase', 'DropRole'] as const;

test('in any world PostgreSQL is taken apart only under Delete, with our row, on our server, and nothing in the way', () => {
  whenever<DescentStep>(decidedDown, destroying, (facts, { kind }) => {
    assert.equal(facts.wish.deletionPolicy, 'Delete');
    assert.ok(ourRow(facts) && sameServer(facts));
    assert.ok(facts.held && facts.collector !== 'orphan');
    assert.ok(facts.blockers.known && facts.blockers.value.subscriptions.length === 0);
    assert.ok(facts.child.known && facts.child.value.kind !== 'ours');
    assert.ok(facts.child.value.kind !== 'foreign' || facts.child.value.orphaned !== true);
    assert.ok(namesAgree(catalogOf(facts)) && ownerAgrees(catalogOf(facts)));
    const { role, database, inFlight } = catalogOf(facts);
    if (kind === 'DropDatabase') assert.ok(database.tombstone !== null && inFlight === null);
    if (kind === 'DropRole')
      assert.ok(role.registered !== null && database.registered === null && database.tombstone === null);
  });
});

test('in any world credential and names go only under Delete, when role and database are seen to be gone', () => {
  whenever<DescentStep>(decidedDown, ['DeleteCredential', 'ReleaseNames'], (facts, { kind }) => {
    const { row, role, database } = catalogOf(facts);
    assert.equal(facts.wish.deletionPolicy, 'Delete');
    assert.ok(sameServer(facts) && (row === null || ourRow(facts)));
    if (row !== null)
      assert.deepEqual([role.registered, database.registered, database.tombstone], [null, null, null]);
    if (kind === 'ReleaseNames')
      assert.ok(row !== null && facts.credential.known && facts.credential.value.kind === 'absent');
  });
});

test('in any world Retain marks, reopens, gives back, withdraws and moves, and nothing else', () => {
  const kinds = [
    'MarkRetained',
    'ReopenRetained',
    'ReturnMembership',
    'WithdrawExternalSecret',
    'MoveToInstance',
  ] as const;
  const retain = (facts: DescentFacts) => decidedDown(world.withWish(facts, { deletionPolicy: 'Retain' }));
  whenever<DescentStep>(retain, kinds, (facts, { kind }) => {
    if (kind === 'WithdrawExternalSecret') return;
    assert.ok(sameServer(facts) && catalogOf(facts).row?.installation === 'prod');
    if (kind === 'MoveToInstance') assert.notEqual(facts.wish.confirm, undefined);
    else assert.ok(!facts.instance.known || ourRow(facts));
    if (kind === 'ReopenRetained') assert.ok(namesAgree(catalogOf(facts)) && ownerAgrees(catalogOf(facts)));
  });
  forAll((facts) => {
    const { step } = retain(facts);
    assert.ok(step === null || (kinds as readonly string[]).includes(step.kind), step?.kind);
  });
});

test('in any world a deletion that is held up says how to let go, and letting go is no longer held up for good', () => {
  forAll((facts) => {
    const { first } = decidedDown(world.withWish(facts, { deletionPolicy: 'Delete' }));
    if (first?.kind !== 'wait' && first?.kind !== 'unknown') return;
    assert.equal(first.message.endsWith(' set spec.deletionPolicy to Retain'), facts.held);
    if (!facts.held) return;
    const kept = decidedDown({ ...world.withWish(facts, { deletionPolicy: 'Retain' }), overdue: true });
    // What could not be kept is told before; and while the garbage collector deletes, it is waited for.
    const next = kept.first?.kind ?? 'told';
    const collected = facts.collector === 'foreground' && next === 'wait';
    // What may be shut is kept for as long as it takes, and that is told.
    const told = kept.first === null || kept.first.kind === 'holds' ? '' : kept.first.message;
    const shut = facts.mayBeShut && told.includes('. The deletion that had begun may have shut ');
    assert.ok(kept.finished || collected || shut || ['told', 'step'].includes(next), first.message);
  });
});

test('in any world a deletion is finished only when nothing is left, or all is kept', () => {
  let seen = 0;
  forAll((facts) => {
    const { finished, phase } = decidedDown(facts);
    if (!finished) return;
    seen += 1;
    const { wish, catalog, credential, child, overdue, held, collector } = facts;
    const leftAlone = collector === 'orphan' || !held || (overdue && !child.known);
    assert.ok(
      (child.known && child.value.kind !== 'ours') || (wish.deletionPolicy === 'Retain' && leftAlone),
    );
    const row = catalog.known ? catalog.value.row : null;
    const never = facts.instance.known && facts.instance.value.kind === 'absent';
    if (wish.deletionPolicy === 'Delete') {
      assert.ok(credential.known && credential.value.kind === 'absent');
      assert.ok(never || (catalog.known && row === null));
      assert.equal(phase, 'Planned');
    } else {
      assert.ok(never || overdue || (catalog.known && sameServer(facts)));
      assert.ok(never || overdue || row === null || row.state === 'Retained');
      assert.ok(never || overdue || row === null || !facts.instance.known || ourRow(facts));
    }
  });
  assert.ok(seen >= 10, `it came up ${seen} times`);
});

test('in any world an Instance takes a step only from the phase that is recorded, and tells the same bytes twice', () => {
  for (let seed = 1; seed <= worlds; seed += 1) {
    const dice = new Dice(seed);
    const facts = randomInstanceFacts(dice);
    const recorded = dice.oneOf([undefined, ...instancePhases]);
    const decision = decideInstance(facts, recorded);
    if (decision.step !== null) assert.deepEqual([decision.phase, decision.first?.kind], [recorded, 'step']);
    if (decision.first?.kind === 'unknown')
      assert.deepEqual([decision.phase, decision.step], [recorded ?? 'Planned', null]);
    const status = recordStatus('PostgreSQLInstance', instanceStatus(facts, decision, {}, earlier));
    const again = decideInstance(facts, status.phase);
    assert.deepEqual(instanceStatus(facts, again, status, later), status);
  }
});
