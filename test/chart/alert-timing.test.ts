import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { alertsOf, type Alert } from '../../src/generate/alerts.ts';
import { firingTimes, increases, secondsOf, windowsOf, type Events, type Scrapes } from './alert-timing.ts';

const file = '../../charts/postgresql-tenant-operator/files/monitoring/alerts.yaml';
const alerts = alertsOf(await readFile(new URL(file, import.meta.url), 'utf8'));
const rule = (name: string): Alert => alerts.find(({ alert }) => alert === name) ?? assert.fail(name);

const [minute, hour, day] = [60, 3_600, 86_400];

const everyScrape: readonly Scrapes[] = [15, 30, 60].flatMap((every) =>
  [0, 0.5].map((share) => ({ every, phase: every * share })),
);

/** When Metacontroller repeats a call that is never answered with 200: 5 ms, doubled each time, at most 1000 s. */
function refusedForEver(from: number, until: number): Events {
  const times: number[] = [];
  for (let at = from, wait = 0.005; at < until; at += wait, wait = Math.min(2 * wait, 1_000)) times.push(at);
  return times;
}

/** By a Service with two endpoints: turn by turn, all to one, or by a coin that is the same for each run. */
const spreads: readonly ((index: number) => boolean)[] = [
  (index) => index % 2 === 0,
  () => true,
  (index) => ((index * 2_654_435_761) >>> 7) % 2 === 0,
];
const overReplicas = (events: Events): (readonly Events[])[] =>
  spreads.map((first) => [
    events.filter((_, index) => first(index)),
    events.filter((_, index) => !first(index)),
  ]);

/** When the alert on a counter that grows fires, for each way to read the replicas and to spread calls over them. */
function firings(name: string, events: Events, until: number): number[][] {
  const { expr, for: after } = rule(name);
  const [window = assert.fail('no window'), ...more] = windowsOf(expr);
  assert.deepEqual(more, [], expr);
  return everyScrape.flatMap((scrapes) =>
    overReplicas(events).map((replicas) =>
      firingTimes(increases(replicas, window, scrapes), secondsOf(after), until),
    ),
  );
}

/** From the first moment to the last, without a gap. */
function assertStays(firing: readonly number[], by: number, until: number): void {
  const [first = Infinity] = firing;
  assert.ok(first <= by, `first after ${first} s`);
  assert.equal(firing.length, (until - first) / 30 + 1, 'it comes and goes');
}

for (const [name, by] of [
  ['PgtenancyHookRequestsRefused', 45 * minute],
  ['PgtenancyHookBug', 3 * minute],
] as const) {
  test(`${name}: one object that gets no answer for ever is told in time, and for as long as it lasts`, () => {
    const until = 12 * hour;
    for (const firing of firings(name, refusedForEver(minute, until), until))
      assertStays(firing, minute + by, until);
  });
}

test('PgtenancyHookRequestsRefused: a run of `helm test` is no reason to call anybody', () => {
  const attempts = Array.from({ length: 10 }, (_, index) => hour + 2 * index);
  for (const firing of firings('PgtenancyHookRequestsRefused', attempts, 6 * hour))
    assert.deepEqual(firing, []);
});

/** When an alert of the kind "there were calls, or there should be, and now there are none" fires; replicas start at 0. */
function silences(name: string, calls: Events, until: number): number[][] {
  const { expr, for: after } = rule(name);
  assert.doesNotMatch(expr, /_count(?!\{[^}]*code="200")/, 'what is refused must not pass for a call');
  const [, offset = ''] = /pgtenancy_build_info offset (\w+)/.exec(expr) ?? [];
  const there = secondsOf(offset);
  const windows = windowsOf(expr);
  const recent = windows.pop() ?? assert.fail('no window');
  const [before] = windows;
  return everyScrape.flatMap((scrapes) =>
    overReplicas(calls).map((replicas) => {
      const now = increases(replicas, recent, scrapes);
      const ever = before === undefined ? () => true : increases(replicas, before, scrapes);
      const holds = (at: number): boolean => at >= there && ever(at) && !now(at);
      return firingTimes(holds, secondsOf(after), until);
    }),
  );
}

const calledForOnce = (until: number): Events =>
  Array.from({ length: Math.floor(until / (15 * minute)) }, (_, index) => 100 + index * 15 * minute);

const onSilence = [
  'PgtenancyHookNotCalled',
  'PgtenancyInstancesNotCalledFor',
  'PgtenancyTenantsNotCalledFor',
];
for (const name of onSilence) {
  test(`${name}: a single object at rest, called for every 15 minutes, is no silence`, () => {
    for (const firing of silences(name, calledForOnce(day), day)) assert.deepEqual(firing, []);
  });

  test(`${name}: silence is told within 45 minutes, and until the end of a weekend`, () => {
    const until = 3 * day;
    for (const firing of silences(name, calledForOnce(8 * hour), until))
      assertStays(firing, 8 * hour + 45 * minute, until);
  });
}

for (const name of onSilence.slice(1)) {
  test(`${name}: replicas that come back are given the time in which Metacontroller calls again`, () => {
    const calls = [1_000, ...calledForOnce(6 * hour).filter((at) => at > 1_000)];
    for (const firing of silences(name, calls, 6 * hour)) assert.deepEqual(firing, []);
  });

  test(`${name}: a hook that was never called is told as well`, () => {
    for (const firing of silences(name, [], day)) assertStays(firing, hour, day);
  });
}

test('one failure alone is too little for every alert that waits, but for what nobody foresaw', () => {
  const waiting = alerts.filter(({ expr, for: after }) => expr.includes('_total{') && after !== '');
  assert.ok(waiting.length > 4);
  for (const { alert, expr, for: after } of waiting) {
    for (const window of windowsOf(expr))
      assert.ok(secondsOf(after) >= window, `${alert} fires for one alone`);
  }
});
