import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Condition } from '../../src/api/conditions.ts';
import {
  instancePhases,
  instanceStatusShape,
  type InstanceConditionType,
  type InstancePhase,
  type InstanceStatus,
} from '../../src/api/instance.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type { InstanceFacts } from '../../src/domain/facts.ts';
import { decideInstance, instanceStatus } from '../../src/domain/instance-decide.ts';
import { rightsSuffice } from '../../src/domain/instance-checks.ts';
import type { Note } from '../../src/domain/verdict.ts';
import { recordStatus } from '../status-record.ts';
import { earlier, later } from './answers.ts';
import * as world from './worlds.ts';
import { lost, readyInstance, withRegistry, withServer } from './worlds.ts';

const decided = (facts: InstanceFacts, trouble?: Note) =>
  decideInstance(facts, decideInstance(facts, undefined).phase, trouble);

const withWish = (facts: InstanceFacts, change: Partial<InstanceFacts['wish']>): InstanceFacts => ({
  ...facts,
  wish: { ...facts.wish, ...change },
});

const empty = { schemaVersion: null, minCompatibleVersion: null, systemIdentifier: null, instance: null };
const refused = readyInstance({
  server: known({ refused: { reason: 'AuthenticationFailed', message: 'password refused' } }),
});
const moved = withServer(readyInstance(), { systemIdentifier: '2' });
const dumped = withRegistry(moved, empty);
/** The address leads to another server, which has a registry of its own. */
const replaced = withWish(readyInstance(), { recordedSystemIdentifier: '1' });
const certificate = (coversHost: boolean, coversAddress: boolean) =>
  withServer(readyInstance(), { certificate: { coversHost, coversAddress } });
const named = { host: 'db.example.com', port: 5432 };

type Row = readonly [
  sentence: string,
  facts: InstanceFacts,
  phase: InstancePhase,
  answer: string,
  message?: RegExp,
];

// prettier-ignore
const lostSince = (registryLostSince: string) => ({ hadRegistry: true, registryLostSince });

const rows: readonly Row[] = [
  ['everything holds', readyInstance(), 'Ready', 'top'],
  ['the server cannot be reached', readyInstance({ server: lost }), 'Planned', 'unknown ServerError'],
  ['the server says no', refused, 'Planned', 'wait AuthenticationFailed', /password refused/],
  ['a pooler answers', withServer(readyInstance(), { pooled: true }), 'Planned', 'wait PoolerDetected'],
  ['a standby answers', withServer(readyInstance(), { inRecovery: true }), 'Planned', 'wait StandbyDetected'],
  [
    'the server is PostgreSQL 14',
    withServer(readyInstance(), { versionNumber: 140_019, version: '14.19' }),
    'Planned',
    'wait VersionUnsupported',
    /PostgreSQL 14\.19/,
  ],
  ['the server is PostgreSQL 15.0', withServer(readyInstance(), { versionNumber: 150_000 }), 'Ready', 'top'],
  [
    'template0 has a locale of another encoding',
    withServer(readyInstance(), { template: { encoding: 'LATIN1', locale: 'de_DE.ISO-8859-1' } }),
    'Planned',
    'wait TemplateUnusable',
    /encoding LATIN1 and locale "de_DE\.ISO-8859-1"; .* or the Instance gets another server$/,
  ],
  [
    'the certificate lacks the name',
    certificate(false, true),
    'Planned',
    'wait CertificateSANMissing',
    /no DNS SAN "db\.example\.com"/,
  ],
  [
    'the certificate lacks the address',
    certificate(true, false),
    'Planned',
    'wait CertificateSANMissing',
    /no IP SAN 192\.0\.2\.10/,
  ],
  [
    'the certificate lacks an address that nobody gave',
    withWish(certificate(true, false), { endpoint: named }),
    'Planned',
    'wait CertificateSANMissing',
  ],
  ['the registry cannot be read', readyInstance({ registry: lost }), 'Planned', 'unknown ServerError'],
  [
    'another server than the registry knows',
    moved,
    'Planned',
    'wait SystemIdentifierChanged',
    /identifier 2, before 7000000000000000001.*to go on with this one, annotate this object with/,
  ],
  [
    'another server than the status knows, without a registry',
    dumped,
    'Planned',
    'wait SystemIdentifierChanged',
    /annotate this object with/,
  ],
  [
    'another server than the status knows, with a registry that is its own',
    replaced,
    'Planned',
    'wait SystemIdentifierChanged',
    /identifier 7000000000000000001, before 1\).*annotate this object with/,
  ],
  [
    'another server than its registry knows, whatever the status says',
    withRegistry(readyInstance(), { systemIdentifier: '1' }),
    'Planned',
    'wait SystemIdentifierChanged',
    /identifier 7000000000000000001, before 1\)/,
  ],
  [
    'a first server, with a registry from before',
    withWish(readyInstance(), { recordedSystemIdentifier: '' }),
    'Ready',
    'top',
  ],
  [
    'a first server, without a registry',
    withWish(dumped, { recordedSystemIdentifier: '' }),
    'Connected',
    'step RegistryOutdated',
  ],
  [
    'a server that does not tell who it is',
    withServer(readyInstance(), { systemIdentifier: null }),
    'Ready',
    'top',
  ],
  [
    'the management role is no superuser, and has every right that it needs',
    withServer(readyInstance(), { superuser: false }),
    'Ready',
    'top',
  ],
  [
    'the management role lacks a right',
    withServer(readyInstance(), { superuser: false, createDb: false }),
    'Connected',
    'wait RightsMissing',
    /role "operator"/,
  ],
  ['the registry was never made', withRegistry(readyInstance(), empty), 'Connected', 'step RegistryOutdated'],
  [
    'the registry was there and is gone',
    withWish(withRegistry(readyInstance(), empty), { hadRegistry: true }),
    'Connected',
    'wait RegistryLost',
    /restore it from a backup$/,
  ],
  [
    'the registry is gone, status tells of none, but Tenants do',
    { ...withRegistry(readyInstance(), empty), claimants: known(['shop/orders', 'shop/cart']) },
    'Connected',
    'wait RegistryLost',
    /Tenants claimed names in it: shop\/orders, shop\/cart; restore it from a backup$/,
  ],
  [
    'the registry was never made, and nobody can say whether Tenants tell of one',
    { ...withRegistry(readyInstance(), empty), claimants: lost },
    'Planned',
    'unknown ServerError',
  ],
  [
    'the registry is gone, and status says so',
    withWish(withRegistry(readyInstance(), empty), lostSince('2026-01-01T00:00:00Z')),
    'Connected',
    'wait RegistryLost',
    /restore it from a backup.*annotate this object with/,
  ],
  [
    'the registry is older',
    withRegistry(readyInstance(), { schemaVersion: 0 }),
    'Connected',
    'step RegistryOutdated',
  ],
  ['the registry is newer, and lets us', withRegistry(readyInstance(), { schemaVersion: 9 }), 'Ready', 'top'],
  [
    'the registry is too new',
    withRegistry(readyInstance(), { schemaVersion: 9, minCompatibleVersion: 2 }),
    'Connected',
    'wait RegistryTooNew',
    /version 2/,
  ],
  [
    'the registry does not know the Instance',
    withRegistry(readyInstance(), { instance: null }),
    'RegistryReady',
    'step InstanceUnregistered',
  ],
  [
    'the registry has it under another installation',
    withRegistry(readyInstance(), { instance: { installation: 'other' } }),
    'RegistryReady',
    'wait InstanceChanged',
    /installation "other"/,
  ],
  [
    'PUBLIC may connect around: advice only',
    withServer(readyInstance(), { publicConnect: ['app'] }),
    'Ready',
    'top',
  ],
];

for (const [sentence, facts, phase, answer, message] of rows) {
  test(`Instance: ${sentence}`, () => {
    const { first, step, phase: reached } = decided(facts);
    const said = first === null ? 'top' : `${first.kind} ${first.kind === 'holds' ? '' : first.reason}`;
    assert.deepEqual([reached, said], [phase, answer]);
    assert.equal(step !== null, answer.startsWith('step'));
    if (message !== undefined) assert.match(first?.kind === 'wait' ? first.message : '', message);
  });
}

const tokenOf = (facts: InstanceFacts): string => {
  const { first } = decided(facts);
  return /confirm=([0-9a-f]{10})$/.exec(first?.kind === 'wait' ? first.message : '')?.[1] ?? 'none';
};

test('Instance: another server is taken on after the word of a person, and for that server only', () => {
  const confirm = tokenOf(moved);
  assert.deepEqual(decided(withWish(moved, { confirm })).step, {
    kind: 'AcceptServer',
    from: '7000000000000000001',
  });
  assert.equal(decided(withWish(withServer(moved, { systemIdentifier: '3' }), { confirm })).step, null);
  assert.equal(decided(withWish(moved, { confirm, uid: 'uid-other' })).step, null);
});

test('Instance: a registry that does not know its server is told, so that its rows forget what was elsewhere', () => {
  const unsure = withRegistry(dumped, { schemaVersion: 1, minCompatibleVersion: 1, systemIdentifier: null });
  const confirm = tokenOf(unsure);
  assert.equal(decided(withWish(unsure, { confirm })).step?.kind, 'AcceptServer');
});

test('Instance: a registry that is gone is made anew after the word of a person, and each loss needs its own', () => {
  const gone = withRegistry(readyInstance(), empty);
  const first = lostSince('2026-01-01T00:00:00Z');
  const confirm = tokenOf(withWish(gone, first));
  assert.deepEqual(decided(withWish(gone, { ...first, confirm })).step, { kind: 'MigrateRegistry' });
  assert.equal(decided(withWish(gone, { ...lostSince('2026-01-02T00:00:00Z'), confirm })).step, null);
  assert.equal(decided(withWish(gone, { ...first, registryLostSince: '', confirm })).step, null);
});

test('Instance: without a registry the word alone lets one be made', () => {
  const confirm = tokenOf(dumped);
  assert.deepEqual(decided(withWish(dumped, { confirm })).step, { kind: 'MigrateRegistry' });
});

test('Instance: a server with a registry of its own is taken on by the word alone, and nothing is rewritten', () => {
  const confirm = tokenOf(replaced);
  assert.equal(decided(withWish(replaced, { confirm: 'yes' })).first?.kind, 'wait');
  const { phase, step } = decided(withWish(replaced, { confirm }));
  assert.deepEqual([phase, step], ['Ready', null]);
});

test('Instance: one word carries through, from the registry that is rewritten to the status that follows', () => {
  const confirm = tokenOf(moved);
  assert.equal(decided(withWish(moved, { confirm })).step?.kind, 'AcceptServer');
  const rewritten = withRegistry(moved, { systemIdentifier: '2' });
  assert.equal(decided(rewritten).first?.kind, 'wait');
  assert.equal(decided(withWish(rewritten, { confirm })).phase, 'Ready');
});

for (const recorded of [undefined, ...instancePhases]) {
  test(`Instance: with ${recorded ?? 'nothing'} recorded a step is taken only where that is the derived phase`, () => {
    const worlds = [
      withRegistry(readyInstance(), { schemaVersion: 0 }),
      withRegistry(readyInstance(), { instance: null }),
    ];
    for (const facts of worlds) {
      const { phase, step } = decideInstance(facts, recorded);
      assert.equal(phase, decideInstance(facts, undefined).phase);
      assert.equal(step !== null, recorded === phase);
    }
  });
}

function statusOf(facts: InstanceFacts, recorded: InstanceStatus = {}, now = earlier): InstanceStatus {
  const decision = decideInstance(facts, recorded.phase);
  return recordStatus('PostgreSQLInstance', instanceStatus(facts, decision, recorded, now));
}

const conditionOf = (status: InstanceStatus, type: InstanceConditionType): Condition | undefined =>
  status.conditions?.find((condition) => condition.type === type);

const saidOf = (status: InstanceStatus, type: InstanceConditionType): string => {
  const condition = conditionOf(status, type);
  return condition === undefined ? 'absent' : `${condition.status} ${condition.reason}`;
};

const histories: Readonly<Record<string, InstanceFacts>> = {
  'an Instance that is Ready': withServer(readyInstance(), { publicConnect: ['app'] }),
  'an Instance that waits for a person': withServer(readyInstance(), { superuser: false, createDb: false }),
};

for (const [subject, before] of Object.entries(histories)) {
  for (const fact of ['server', 'registry'] as const) {
    for (const phase of instancePhases) {
      test(`Instance: ${subject}, recorded at ${phase}, keeps all but Connected when ${fact} is unknown`, () => {
        const recorded = { ...statusOf(before), phase };
        const facts = { ...before, [fact]: lost };
        assert.equal(decideInstance(facts, phase).step, null);
        const after = statusOf(facts, recorded, later);
        const others = (status: InstanceStatus) =>
          status.conditions?.filter(({ type }) => type !== 'Connected');
        assert.deepEqual(
          { ...after, conditions: others(after) },
          { ...recorded, conditions: others(recorded) },
        );
        assert.equal(saidOf(after, 'Connected'), 'Unknown ServerError');
      });
    }
  }
}

type Said = Partial<Record<InstanceConditionType, string>>;
const missing = unknown('RegistryMissing', 'no registry');

// prettier-ignore
const sentences: readonly (readonly [sentence: string, facts: InstanceFacts, said: Said])[] = [
  ['everything holds', readyInstance(), { Connected: 'True Reached', RightsSufficient: 'True Reached', RegistryReady: 'True Reached', PublicClosed: 'True Reached', Ready: 'True Reached', Stalled: 'absent' }],
  ['the server says no', refused, { Connected: 'False AuthenticationFailed', RightsSufficient: 'False Pending', PublicClosed: 'False Pending', Ready: 'False AuthenticationFailed', Stalled: 'True AuthenticationFailed' }],
  ['the server says no, and nothing is known of the registry', { ...refused, registry: missing }, { Connected: 'False AuthenticationFailed', RegistryReady: 'False RegistryMissing', Ready: 'False AuthenticationFailed' }],
  ['rights and registry are told apart', withServer(readyInstance(), { superuser: false, createDb: false }), { Connected: 'True Reached', RightsSufficient: 'False RightsMissing', RegistryReady: 'True Reached', Ready: 'False RightsMissing', Stalled: 'True RightsMissing' }],
  ['a part of the registry is gone', readyInstance({ registry: missing }), { Connected: 'True Reached', RightsSufficient: 'True Reached', RegistryReady: 'False RegistryMissing', Ready: 'False RegistryMissing', Stalled: 'True RegistryMissing' }],
  ['a part of the registry is gone, and rights are missing', withServer(readyInstance({ registry: missing }), { superuser: false, createDb: false }), { Connected: 'True Reached', RightsSufficient: 'False RightsMissing', RegistryReady: 'False RegistryMissing', Ready: 'False RightsMissing' }],
  ['a part of the registry is gone, and another server answers', withWish(readyInstance({ registry: missing }), { recordedSystemIdentifier: '1' }), { Connected: 'False SystemIdentifierChanged', RegistryReady: 'False Pending', Ready: 'False SystemIdentifierChanged' }],
  ['PUBLIC may connect around', withServer(readyInstance(), { publicConnect: ['app', 'crm'] }), { PublicClosed: 'False PublicConnectPossible', Ready: 'True Reached', Stalled: 'absent' }],
];

for (const [sentence, facts, said] of sentences) {
  test(`Instance conditions: ${sentence}`, () => {
    const status = statusOf(facts);
    for (const [type, expected] of Object.entries(said)) {
      assert.equal(saidOf(status, type as InstanceConditionType), expected, type);
    }
  });
}

test('Instance conditions: the advice names the databases, with the SQL', () => {
  const status = statusOf(withServer(readyInstance(), { publicConnect: ['app', 'crm'] }));
  assert.match(
    conditionOf(status, 'PublicClosed')?.message ?? '',
    /connect to "app", "crm"; consider, for each: revoke connect, temporary on database \.\.\. from public$/,
  );
});

test('Instance conditions: the advice stays short however many databases there are', () => {
  const publicConnect = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const status = statusOf(withServer(readyInstance(), { publicConnect }));
  assert.match(conditionOf(status, 'PublicClosed')?.message ?? '', /"d", "e" and 2 more; consider/);
});

const trouble = { reason: 'PermissionDenied', message: 'cannot create schema' } as const;

test('Instance: a step that failed speaks in place of the verdict, and is not taken again at once', () => {
  const decision = decided(withRegistry(readyInstance(), empty), trouble);
  const said = decision.findings
    .filter(({ reason }) => reason === 'PermissionDenied')
    .map(({ type }) => type);
  assert.deepEqual([decision.step, said], [null, ['RegistryReady', 'Ready', 'Stalled']]);
});

test('Instance: trouble is over once everything holds, and what is unknown now speaks for itself', () => {
  assert.equal(decided(readyInstance(), trouble).first, null);
  assert.equal(decided(readyInstance({ server: lost }), trouble).first?.kind, 'unknown');
});

test('Instance: rights are judged after the server was seen', () => {
  assert.equal(rightsSuffice(refused).kind, 'wait');
});

test('Instance status: of one that is Ready', () => {
  const { conditions, ...rest } = statusOf(readyInstance());
  assert.equal(conditions?.length, 5);
  assert.deepEqual(rest, {
    phase: 'Ready',
    endpoint: world.instance.endpoint,
    serverVersion: '17.10',
    systemIdentifier: '7000000000000000001',
  });
});

test('Instance status: same world, same bytes, in a shape that the API server takes', () => {
  for (const [, facts] of rows) {
    const first = statusOf(facts);
    instanceStatusShape.strict().parse(JSON.parse(JSON.stringify(first)));
    assert.deepEqual(statusOf(facts, first, later), first);
  }
});

test('Instance status: a changed server is not recorded before it is accepted, or the change would be forgotten', () => {
  const before = statusOf(readyInstance());
  for (const facts of [moved, dumped]) {
    assert.equal(statusOf(facts, before, later).systemIdentifier, '7000000000000000001');
  }
  const confirmed = withWish(dumped, { confirm: tokenOf(dumped) });
  assert.equal(statusOf(confirmed, before, later).systemIdentifier, '2');
});

test('Instance status: what cannot be seen stays as recorded', () => {
  const before = statusOf(readyInstance());
  const { serverVersion, systemIdentifier } = statusOf(refused, before, later);
  assert.deepEqual([serverVersion, systemIdentifier], ['17.10', '7000000000000000001']);
});
