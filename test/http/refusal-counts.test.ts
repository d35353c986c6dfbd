import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { ownSeriesOf } from '../metrics/series.ts';
import { bodyFor, routeThat, trialApp } from './trial-app.ts';

type Trial = ReturnType<typeof trialApp>;

/** Causes that were counted, with how often. */
async function refusalsOf({ metrics }: Trial): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const [series, value] of ownSeriesOf(await metrics.render())) {
    const cause = /^pgtenancy_hook_refusals_total\{cause="(.*)"\}$/.exec(series)?.[1];
    if (cause !== undefined && value > 0) counted[cause] = value;
  }
  return counted;
}

const hanging = () => new Promise<never>(() => undefined);

const refused: [cause: string, begin: () => Trial, ask: (trial: Trial) => Promise<unknown>][] = [
  ['malformed', () => trialApp(), ({ post }) => post('/tenants/sync', '{}')],
  ['malformed', () => trialApp(), ({ post }) => post('/tenants/sync', '{')],
  ['not_found', () => trialApp(), ({ post }) => post('/none', '{}')],
  [
    'unsupported_media_type',
    () => trialApp(),
    ({ post }) => post('/tenants/sync', '{}', { 'content-type': 'text/plain' }),
  ],
  ['too_large', () => trialApp(), ({ post }) => post('/tenants/sync', `"${'x'.repeat(5 * 1024 * 1024)}"`)],
  [
    'bug',
    () => trialApp({ routes: routeThat(() => Promise.reject(new Error('x'))) }),
    ({ post }) => post('/tenants/sync', '{}'),
  ],
  [
    'busy',
    () => trialApp({ routes: routeThat(() => Promise.reject(new Trouble('Busy', 'held'))) }),
    ({ post }) => post('/tenants/sync', '{}'),
  ],
  [
    'deadline',
    () => trialApp({ routes: routeThat(hanging), deadline: 20 }),
    ({ post }) => post('/tenants/sync', '{}'),
  ],
];

for (const [index, [cause, begin, ask]] of refused.entries()) {
  test(`a refused request is counted once, as ${cause} (${index + 1})`, async () => {
    const trial = begin();
    await ask(trial);
    assert.deepEqual(await refusalsOf(trial), { [cause]: 1 });
  });
}

test('one that comes while too many are worked on is counted as in_flight_limit, and how many these are is shown', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const trial = trialApp({ routes: routeThat(() => promise) });
  const inFlight = async () =>
    ownSeriesOf(await trial.metrics.render()).get('pgtenancy_hook_requests_in_flight') ?? 0;
  const held = Array.from({ length: 64 }, () => trial.post('/tenants/sync', '{}'));
  while ((await inFlight()) < 64) await new Promise((done) => setImmediate(done));
  assert.equal((await trial.post('/tenants/sync', '{}')).statusCode, 429);
  assert.deepEqual(await refusalsOf(trial), { in_flight_limit: 1 });
  assert.equal(await inFlight(), 64);
  resolve({});
  await Promise.all(held);
  assert.equal(await inFlight(), 0);
});

test('an answered request is no refusal', async () => {
  const trial = trialApp();
  await trial.post('/tenants/sync', bodyFor(trial.world, '/tenants/sync'));
  assert.deepEqual(await refusalsOf(trial), {});
});

test('thousands of forged paths and codes make no more series than one', async () => {
  const trial = trialApp();
  await trial.app.inject({ method: 'GET', url: '/forged' });
  const before = ownSeriesOf(await trial.metrics.render()).size;
  for (let index = 0; index < 2_000; index += 1) {
    await trial.app.inject({ method: 'GET', url: `/forged-${index}?x=${index}` });
  }
  const after = await trial.metrics.render();
  assert.equal(ownSeriesOf(after).size, before);
  assert.ok(!after.includes('forged'));
});
