import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bodyFor, hooks, trialApp } from './trial-app.ts';
import { without } from '../reconcile/without.ts';

const canary = 'canary-9c1e';

const malformed: [sentence: string, payload: string][] = [
  ['text that is no JSON', `{"parent": ${canary}`],
  ['an empty body', ''],
  ['a string', `"${canary}"`],
  ['a number', '7'],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['an array', `["${canary}"]`],
  ['[null]', '[null]'],
  ['a poisoned prototype', `{"__proto__": {"${canary}": true}}`],
  ['a poisoned constructor', `{"constructor": {"prototype": {"${canary}": true}}}`],
  ['a parent that is null', '{"controller":{},"parent":null,"children":{},"related":{},"finalizing":false}'],
];

for (const [sentence, payload] of malformed) {
  test(`${sentence} is 400 for every hook, with the fixed body`, async () => {
    for (const path of hooks) {
      const { post, world, log } = trialApp();
      const response = await post(path, payload);
      assert.equal(response.statusCode, 400, path);
      assert.equal(response.body, '{"error":"the body is not a hook request of this kind"}', path);
      assert.deepEqual(world.gate.calls, [], 'nobody is asked');
      assert.ok(!log().includes(canary));
    }
  });
}

type Parent = Record<string, Record<string, unknown> | undefined>;

const wrongParents: [sentence: string, change: (parent: Parent) => unknown][] = [
  ['another kind', (parent) => ({ ...parent, kind: canary })],
  ['another version', (parent) => ({ ...parent, apiVersion: 'pgtenancy.io/v2' })],
  ['no kind', (parent) => without(parent, 'kind')],
  ['no metadata', (parent) => without(parent, 'metadata')],
  ['no UID', (parent) => ({ ...parent, metadata: { ...parent['metadata'], uid: undefined } })],
  [
    'a generation that is text',
    (parent) => ({ ...parent, metadata: { ...parent['metadata'], generation: canary } }),
  ],
  ['no spec', (parent) => without(parent, 'spec')],
  ['a spec that is a list', (parent) => ({ ...parent, spec: [canary] })],
  ['a spec that is empty', (parent) => ({ ...parent, spec: {} })],
];

for (const [sentence, change] of wrongParents) {
  test(`a parent with ${sentence} is 400 for every hook, and only the field's path is logged`, async () => {
    for (const path of hooks) {
      const { post, world, log } = trialApp();
      const body = bodyFor(world, path);
      const response = await post(path, { ...body, parent: change(body.parent as Parent) });
      assert.equal(response.statusCode, 400, path);
      assert.equal(response.body, '{"error":"the body is not a hook request of this kind"}');
      assert.match(log(), /"fields":\["parent/);
      assert.ok(!log().includes(canary));
    }
  });
}

test('the request of one kind is 400 for the hooks of the other', async () => {
  const { post, world } = trialApp();
  assert.equal((await post('/instances/sync', bodyFor(world, '/tenants/sync'))).statusCode, 400);
  assert.equal((await post('/tenants/sync', bodyFor(world, '/instances/sync'))).statusCode, 400);
});

test('a field beside those that Metacontroller sends is 400', async () => {
  for (const path of hooks) {
    const { post, world } = trialApp();
    assert.equal((await post(path, { ...bodyFor(world, path), more: canary })).statusCode, 400, path);
  }
});

test('a missing field of the request is 400', async () => {
  const { post, world } = trialApp();
  const body = bodyFor(world, '/tenants/sync');
  for (const field of Object.keys(body)) {
    const rest = Object.fromEntries(Object.entries(body).filter(([key]) => key !== field));
    assert.equal((await post('/tenants/sync', rest)).statusCode, 400, field);
  }
});

test('a poisoned prototype deep inside of a good request is 400', async () => {
  const { post, world } = trialApp();
  const good = JSON.stringify(bodyFor(world, '/tenants/sync'));
  const response = await post('/tenants/sync', good.replace('"spec":{', '"spec":{"__proto__":{"x":1},'));
  assert.equal(response.statusCode, 400);
});

test('a body above 4 MiB is 413, one below is read', async () => {
  const { post, world } = trialApp();
  const body = bodyFor(world, '/tenants/sync');
  const sized = (mebibytes: number) => ({
    ...body,
    controller: { filler: 'x'.repeat(mebibytes * 1024 * 1024) },
  });
  assert.equal((await post('/tenants/sync', sized(3))).statusCode, 200);
  const tooLarge = await post('/tenants/sync', sized(5));
  assert.deepEqual([tooLarge.statusCode, tooLarge.body], [413, '{"error":"the body is too large"}']);
});

test('another content type than JSON is 415', async () => {
  const { post } = trialApp();
  for (const type of ['application/xml', 'application/x-www-form-urlencoded', 'text/plain', canary]) {
    const response = await post('/tenants/sync', '{}', { 'content-type': type });
    assert.deepEqual(
      [response.statusCode, response.body],
      [415, '{"error":"the body must be application/json"}'],
      type,
    );
  }
});

const nowhere: [method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string][] = [
  ['GET', '/'],
  ['GET', `/${canary}`],
  ['GET', '/tenants/sync'],
  ['PUT', '/tenants/sync'],
  ['POST', '/healthz'],
  ['POST', '/tenants/sync/'],
  ['POST', '/Tenants/Sync'],
  ['DELETE', '/metrics'],
  ['GET', `/%2e%2e/${canary}?${canary}=1`],
];

for (const [method, url] of nowhere) {
  test(`${method} ${url} is 404 with the fixed body`, async () => {
    const { app } = trialApp();
    const response = await app.inject({ method, url });
    assert.deepEqual([response.statusCode, response.body], [404, '{"error":"no such path"}']);
  });
}

test('a path that cannot be decoded is not repeated', async () => {
  const { app } = trialApp();
  const response = await app.inject({ method: 'GET', url: `/%zz${canary}` });
  assert.deepEqual([response.statusCode, response.body], [404, '{"error":"no such path"}']);
});

test('a status that cannot be read counts as lost: the request is taken, and nothing of it is repeated', async () => {
  const { post, world } = trialApp();
  for (const path of ['/tenants/sync', '/tenants/finalize']) {
    const body = bodyFor(world, path);
    const parent = { ...body.parent, status: { phase: canary } };
    const response = await post(path, { ...body, parent });
    assert.equal(response.statusCode, 200, path);
    assert.ok(!response.body.includes(canary));
  }
});
