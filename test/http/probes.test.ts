import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { bodyFor, hooks, routeThat, trialApp } from './trial-app.ts';

test('/healthz answers while the process lives, also while it is stopping', async () => {
  for (const ready of [true, false]) {
    const response = await trialApp({ ready: () => ready }).app.inject('/healthz');
    assert.deepEqual([response.statusCode, response.json()], [200, { status: 'ok' }]);
  }
});

test('/readyz says when the operator takes no more requests', async () => {
  let ready = true;
  const { app } = trialApp({ ready: () => ready });
  assert.equal((await app.inject('/readyz')).statusCode, 200);
  ready = false;
  const response = await app.inject('/readyz');
  assert.deepEqual([response.statusCode, response.json()], [503, { error: 'the operator is stopping' }]);
});

test('/metrics counts requests by route and code', async () => {
  const { app, post, world } = trialApp();
  for (const path of hooks) await post(path, bodyFor(world, path));
  await post('/tenants/sync', '{');
  const response = await app.inject('/metrics');
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers['content-type']), /^text\/plain; version=/);
  assert.match(response.body, /request_duration_seconds_count\{route="\/tenants\/customize",code="200"\} 1/);
  assert.match(response.body, /request_duration_seconds_count\{route="\/tenants\/sync",code="400"\} 1/);
  assert.match(response.body, /^process_cpu_seconds_total /m);
});

test('labels of metrics are bounded, whatever is asked for', async () => {
  const { app, post } = trialApp({
    routes: routeThat(() => Promise.reject(new Trouble('Busy', 'canary'))),
  });
  const urls = Array.from({ length: 30 }, (_, index) => `/canary-${index}?x=canary`);
  for (const url of urls) await app.inject({ method: 'GET', url });
  await post('/tenants/sync', {});
  const { body } = await app.inject('/metrics');
  assert.ok(!body.includes('canary'));
  const routes = new Set([...body.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
  assert.deepEqual([...routes].sort(), ['/tenants/sync', 'unknown']);
});

test('acts are counted by step and outcome, never by whom they were for', async () => {
  const { app, metrics } = trialApp();
  metrics.acted({ subject: 'shop/canary', step: 'CreateRole', outcome: 'ok', milliseconds: 3 });
  metrics.acted({ subject: 'shop/canary', step: 'CreateRole', outcome: 'ok', milliseconds: 3 });
  metrics.acted({ subject: 'shop/canary', step: 'CreateRole', outcome: 'ServerError', milliseconds: 3 });
  const { body } = await app.inject('/metrics');
  assert.match(body, /^pgtenancy_acts_total\{step="CreateRole",outcome="ok"\} 2$/m);
  assert.match(body, /^pgtenancy_acts_total\{step="CreateRole",outcome="ServerError"\} 1$/m);
  assert.ok(!body.includes('canary'));
});

test('two operators in one process keep their own metrics', async () => {
  const [one, other] = [trialApp(), trialApp()];
  await one.post('/tenants/sync', '{');
  assert.ok(!(await other.app.inject('/metrics')).body.includes('route="/tenants/sync"'));
});
