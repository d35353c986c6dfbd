import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Trouble } from '../../src/errors.ts';
import { always } from '../reconcile/gate.ts';
import { ModelWorld } from '../reconcile/model-world.ts';
import { bodyFor, hooks, routeThat, trialApp } from './trial-app.ts';

test('each hook answers a request of its own kind with 200 and JSON', async () => {
  for (const path of hooks) {
    const { post, world } = trialApp();
    const response = await post(path, bodyFor(world, path));
    assert.equal(response.statusCode, 200, path);
    assert.match(String(response.headers['content-type']), /^application\/json/);
  }
});

test('sync answers status, children and the next look, and nothing else', async () => {
  const { post, world } = trialApp();
  const first = await post('/tenants/sync', bodyFor(world, '/tenants/sync'));
  const { status, children, ...rest } = first.json<{ status: { phase: string }; children: unknown[] }>();
  assert.equal(status.phase, 'Planned');
  assert.deepEqual([children, rest], [[], {}]);
});

test('managedFields and other fields of objects that nobody uses are taken as they come', async () => {
  const { post, world } = trialApp();
  const body = bodyFor(world, '/tenants/sync');
  const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];
  const { parent } = body as unknown as { parent: { metadata: object } };
  const metadata = { ...parent.metadata, managedFields, resourceVersion: '7', selfLink: '' };
  const response = await post('/tenants/sync', { ...body, parent: { ...parent, metadata } });
  assert.equal(response.statusCode, 200);
});

test('customize answers the one rule that relates a Tenant to its Instance, without asking anybody', async () => {
  const { post, world } = trialApp();
  const response = await post('/tenants/customize', bodyFor(world, '/tenants/customize'));
  assert.deepEqual(response.json(), {
    relatedResources: [
      { apiVersion: 'pgtenancy.io/v1alpha1', resource: 'postgresqlinstances', names: ['main'] },
    ],
  });
  assert.deepEqual(world.gate.calls, []);
});

test('a lock held elsewhere is 429 with a whole number of seconds, at least one', async () => {
  const seconds: [given: number | undefined, answered: string][] = [
    [undefined, '1'],
    [0, '1'],
    [0.2, '1'],
    [1.2, '2'],
    [7, '7'],
  ];
  for (const [retryAfterSeconds, answered] of seconds) {
    const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const busy = new Trouble('Busy', 'canary-busy', options);
    const { post, log } = trialApp({ routes: routeThat(() => Promise.reject(busy)) });
    const response = await post('/tenants/sync', {});
    assert.equal(response.statusCode, 429);
    assert.equal(response.headers['retry-after'], answered);
    assert.deepEqual(response.json(), { error: 'busy; try again later' });
    assert.ok(!log().includes('canary'), 'it is no event worth a line');
  }
});

test('a port that is busy makes the whole request 429', async () => {
  const world = new ModelWorld();
  const error = new Trouble('Busy', 'held', { retryAfterSeconds: 3 });
  world.gate.faults = always(/^observe\.tenant/, { kind: 'fails', error });
  const { post } = trialApp({ world });
  const response = await post('/tenants/sync', bodyFor(world, '/tenants/sync'));
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [429, '3']);
});

test('known trouble is 200 with a condition', async () => {
  for (const path of ['/tenants/sync', '/instances/sync', '/instances/finalize']) {
    const world = new ModelWorld();
    const error = new Trouble('KubernetesUnreachable', 'cannot reach the Kubernetes API');
    world.gate.faults = always(/./, { kind: 'fails', error });
    const { post } = trialApp({ world });
    const response = await post(path, bodyFor(world, path));
    assert.equal(response.statusCode, 200, path);
    assert.match(response.body, /"reason":"KubernetesUnreachable"/, path);
  }
});

const thrown: [sentence: string, error: unknown][] = [
  ['an Error', new Error('canary-4711')],
  [
    'an Error with the name and code of a client error',
    Object.assign(new Error('canary-4711'), { statusCode: 400 }),
  ],
  [
    'an Error that claims a status and headers',
    Object.assign(new Error('x'), { statusCode: 418, headers: { a: 'canary-4711' } }),
  ],
  ['a SyntaxError of our own', new SyntaxError('canary-4711')],
  [
    'an Error of a connection that broke behind the operator',
    Object.assign(new Error('canary-4711'), { code: 'ECONNRESET' }),
  ],
  ['no Error at all', 'canary-4711'],
  ['known trouble that nobody handled', new Trouble('ServerError', 'canary-4711')],
];

for (const [sentence, error] of thrown) {
  test(`a handler that throws ${sentence} is 500 with the fixed body`, async () => {
    const { post } = trialApp({
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      routes: routeThat(() => Promise.reject(error)),
    });
    const response = await post('/tenants/sync', {});
    assert.equal(response.statusCode, 500);
    assert.equal(response.body, '{"error":"internal error; see the log of the operator"}');
    assert.ok(!JSON.stringify(response.headers).includes('canary'));
  });
}

test('a bug is logged with its stack, known trouble that nobody handled with its reason only', async () => {
  const bug = trialApp({ routes: routeThat(() => Promise.reject(new Error('what happened'))) });
  await bug.post('/tenants/sync', {});
  assert.match(bug.log(), /"level":"error".*"msg":"bug"/);
  assert.match(bug.log(), /what happened.*app\.test\.ts/);
  const trouble = new Trouble('ServerError', 'canary-4711');
  const handled = trialApp({ routes: routeThat(() => Promise.reject(trouble)) });
  await handled.post('/tenants/sync', {});
  assert.match(handled.log(), /"reason":"ServerError"/);
  assert.ok(!handled.log().includes('canary'));
});

test('a request is logged at no level when all is well', async () => {
  const { post, world, log } = trialApp();
  await post('/tenants/sync', bodyFor(world, '/tenants/sync'));
  assert.equal(log(), '');
});

test('an answer that cannot be written as JSON is a bug, too', async () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const { post } = trialApp({ routes: routeThat(() => Promise.resolve(circular)) });
  const response = await post('/tenants/sync', {});
  assert.deepEqual(
    [response.statusCode, response.json()],
    [500, { error: 'internal error; see the log of the operator' }],
  );
});
