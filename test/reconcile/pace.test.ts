import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Condition } from '../../src/api/conditions.ts';
import { reasons, type Reason } from '../../src/domain/reasons.ts';
import { cannotTell, holds, step, wait } from '../../src/domain/verdict.ts';
import { resyncAfter } from '../../src/reconcile/pace.ts';
import type { Taken } from '../../src/reconcile/take-step.ts';

type Moment = Parameters<typeof resyncAfter>[1];

const settings = {
  installation: 'prod',
  store: { kind: 'SecretStore', name: 'openbao' },
  defaultCa: undefined,
  resyncSeconds: 300,
} as const;

const now = Date.parse('2026-03-01T12:00:00Z');

const readySince = (secondsAgo: number): Condition => ({
  ...{ type: 'Ready', status: 'False', reason: 'Pending', message: '' },
  lastTransitionTime: new Date(now - secondsAgo * 1000).toISOString(),
});

const pace = (moment: Partial<Moment>, resyncSeconds = 300): number | undefined =>
  resyncAfter(
    { ...settings, resyncSeconds },
    {
      uid: 'uid',
      phaseChanged: false,
      taken: { kind: 'none' },
      first: null,
      ready: undefined,
      now,
      ...moment,
    },
  );

const failed: Taken = { kind: 'failed', trouble: { reason: 'ServerError', message: 'no' } };
const everyTaken: Taken[] = [
  { kind: 'none' },
  { kind: 'stale' },
  { kind: 'done' },
  failed,
  { kind: 'overtaken' },
];
const everyFirst = [
  null,
  holds,
  step('RoleMissing', '', 'step'),
  wait('DatabaseBusy', ''),
  ...Object.keys(reasons).flatMap((reason) => [
    wait(reason as Reason, ''),
    cannotTell({ known: false, reason: reason as Reason, message: '' }),
  ]),
];

/** Jitter is between 1 and 1.5 times. */
const within = (actual: number | undefined, seconds: number): void => {
  assert.ok(
    actual !== undefined && actual >= seconds && actual <= seconds * 1.5,
    `${String(actual)} for ${seconds}`,
  );
};

test('beside a phase change there is never a timer', () => {
  for (const taken of everyTaken) {
    for (const first of everyFirst) assert.equal(pace({ phaseChanged: true, taken, first }), undefined);
  }
});

test('without a phase change there is always a timer, above 0 and never longer than 1.5 times the resync', () => {
  for (const taken of everyTaken) {
    for (const first of everyFirst) {
      for (const ready of [undefined, readySince(0), readySince(86_400), readySince(-60)]) {
        const seconds = pace({ taken, first, ready });
        assert.ok(seconds !== undefined && seconds > 0 && seconds <= 450, `${taken.kind} ${String(seconds)}`);
      }
    }
  }
});

test('after an act, or one that somebody else was quicker with, the next look comes at once', () => {
  for (const [kind, seconds] of [
    ['done', 0.1],
    ['overtaken', 1.5],
  ] as const) {
    assert.equal(pace({ taken: { kind }, first: step('DatabaseMissing', '', 'step') }), seconds);
  }
});

test('a request that was not for the live object is soon followed by the right one', () => {
  assert.equal(pace({ taken: { kind: 'stale' }, first: step('RoleMissing', '', 'step') }), 0.5);
});

test('a statement that PostgreSQL is still running is looked at twice a second', () => {
  for (const since of [0, 600]) {
    assert.equal(pace({ first: wait('DatabaseBusy', ''), ready: readySince(since) }), 0.5);
  }
});

test('at rest the configured time passes, spread by the UID', () => {
  within(pace({ first: null }), 300);
  within(pace({ first: holds }), 300);
  assert.equal(pace({ first: null, now: now + 5_000_000 }), pace({ first: null }));
  const all = Array.from({ length: 50 }, (_, index) => pace({ uid: `uid-${index}` }));
  assert.ok(new Set(all).size > 45, 'tenants are spread');
});

const growth: [reason: Reason, secondsAgo: number, expected: number][] = [
  ['SecretNotSynced', 0, 1],
  ['SecretNotSynced', 1, 1],
  ['SecretNotSynced', 10, 5],
  ['SecretNotSynced', 60, 30],
  ['SecretNotSynced', 86_400, 30],
  ['Conflict', 60, 30],
  ['Conflict', 86_400, 60],
  ['SecretNotSynced', -60, 1],
];

for (const [reason, ago, expected] of growth) {
  test(`waiting for ${reason} since ${ago} s, the next look comes in about ${expected} s`, () => {
    within(pace({ first: wait(reason, ''), ready: readySince(ago) }), expected);
    within(
      pace({ first: cannotTell({ known: false, reason, message: '' }), ready: readySince(ago) }),
      expected,
    );
  });
}

test('a wait without a condition yet begins at one second', () => {
  within(pace({ first: wait('InstanceNotReady', '') }), 1);
});

test('no wait is longer than the configured resync', () => {
  within(pace({ first: wait('Conflict', ''), ready: readySince(86_400) }, 5), 5);
});
