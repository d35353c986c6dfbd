import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import { Trouble } from '../../src/errors.ts';
import { byDeadline } from '../../src/http/deadline.ts';
import { always } from '../reconcile/gate.ts';
import { ModelWorld } from '../reconcile/model-world.ts';
import { bodyFor, routeThat, trialApp } from './trial-app.ts';

const never = () => new Promise<never>(() => undefined);

test('work that ends in time is answered with its own result', async () => {
  assert.equal(await byDeadline(1000, Promise.resolve('done')), 'done');
  const error = new Error('its own');
  await assert.rejects(byDeadline(1000, Promise.reject(error)), (thrown) => thrown === error);
});

test('work that ends too late is Busy, and its late failure disturbs nobody', async () => {
  const late = sleep(30).then(() => {
    throw new Error('too late');
  });
  await assert.rejects(
    byDeadline(10, late),
    (error) => error instanceof Trouble && error.reason === 'Busy' && error.retryAfterSeconds === 2,
  );
  await sleep(40); // an unhandled rejection would end this process
});

test('a deadline leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await byDeadline(60_000, Promise.resolve());
  assert.equal(timers(), before);
});

test('a handler that hangs is answered with 429 by the deadline', async () => {
  const { post } = trialApp({ routes: routeThat(never), deadline: 50 });
  const started = performance.now();
  const response = await post('/tenants/sync', {});
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [429, '2']);
  assert.ok(performance.now() - started >= 45, 'not before it');
});

test('any call of a port that hangs is answered with 429 by the deadline', async () => {
  for (const call of [
    'kubernetes.instance',
    'credentials.read',
    'observe.tenant',
    'kubernetes.externalSecret',
  ]) {
    const world = new ModelWorld();
    world.gate.faults = always(new RegExp(`^${call}$`), { kind: 'hangs' });
    const { post } = trialApp({ world, deadline: 30 });
    assert.equal((await post('/tenants/sync', bodyFor(world, '/tenants/sync'))).statusCode, 429, call);
    assert.deepEqual(world.acts, []);
  }
});

test('work that goes on after its deadline keeps its place until it ends: the 65th is turned away', async () => {
  const { promise: free, resolve: release } = Promise.withResolvers<object>();
  let running = 0;
  const routes = routeThat(() => {
    running += 1;
    return free;
  });
  const { post } = trialApp({ routes, deadline: 30 });
  const send = async () => (await post('/tenants/sync', {})).headers['retry-after'];
  const late = await Promise.all(Array.from({ length: 64 }, send));
  assert.deepEqual(new Set(late), new Set(['2']), 'all were answered by the deadline');
  assert.equal((await post('/tenants/sync', {})).statusCode, 429);
  assert.equal(running, 64, 'no handler was called for it');
  release({});
  await setImmediate();
  assert.equal((await post('/tenants/sync', {})).statusCode, 200);
});
