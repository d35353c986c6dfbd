import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bodyFor, hooks, trialApp } from './trial-app.ts';
import { without } from '../reconcile/without.ts';

const canary = 'canary-9c1e';

const kind = 'the body is not a hook request of this kind';
const json = 'the body is not JSON, or has a key that JavaScript gives a meaning';
const deep = (depth: number, inside = '1') => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

const malformed: [sentence: string, payload: string, error: string][] = [
  ['text that is no JSON', `{"parent": ${canary}`, json],
  ['an empty body', '', 'the body is empty'],
  ['a body of spaces', '   ', json],
  ['a string', `"${canary}"`, kind],
  ['a number', '7', kind],
  ['null', 'null', kind],
  ['an empty object', '{}', kind],
  ['an array', `["${canary}"]`, kind],
  ['[null]', '[null]', kind],
  ['two bodies in one', '{}{}', json],
  ['a poisoned prototype', `{"__proto__": {"${canary}": true}}`, json],
  ['a poisoned constructor', `{"constructor": {"prototype": {"${canary}": true}}}`, json],
  [
    'a parent that is null',
    '{"controller":{},"parent":null,"children":{},"related":{},"finalizing":false}',
    kind,
  ],
  ['what is nested 100 times', deep(100), kind],
  ['what is nested 101 times', deep(101), 'the body is nested too deeply'],
  ['what is nested a million times', deep(1_000_000), 'the body is nested too deeply'],
  ['what is only opened, a million times', '{"a":'.repeat(800_000), 'the body is nested too deeply'],
  ['quotes that never end, half a million', '"\\"'.repeat(500_000), json],
  ['a key that is there twice', `{"controller":{},"controller":{"${canary}":1}}`, twice()],
  ['a key that is there twice, once in disguise', '{"finalizing":true,"final\\u0069zing":false}', twice()],
  ['a key that is there twice deep inside', deep(30, '{"a:b\\":":1,"a":{},"a":{}}'), twice()],
];

function twice(): string {
  return 'the body has a key twice in one object';
}

for (const [sentence, payload, error] of malformed) {
  test(`${sentence} is 400 for every hook, with a fixed body`, async () => {
    for (const path of hooks) {
      const { post, world, log } = trialApp();
      const response = await post(path, payload);
      assert.equal(response.statusCode, 400, path);
      assert.deepEqual(response.json(), { error }, path);
      assert.deepEqual(world.gate.calls, [], 'nobody is asked');
      assert.ok(!log().includes(canary));
      assert.doesNotMatch(log(), /"level":"(?:error|fatal)"/);
    }
  });
}

test('a body whose strings hold everything that JSON is made of is taken', async () => {
  const { post, world } = trialApp();
  const body = {
    ...bodyFor(world, '/tenants/sync'),
    controller: { '{"a:[\\': '"]}:{"\\', '': [{ ':': 1 }] },
  };
  assert.equal((await post('/tenants/sync', body)).statusCode, 200);
});

test('a malformed request is logged once a second at most, and no key of a map is', async () => {
  const { post, world, log } = trialApp();
  const body = { ...bodyFor(world, '/tenants/sync'), related: { [canary]: { [canary]: 1 } } };
  for (let times = 0; times < 20; times += 1)
    assert.equal((await post('/tenants/sync', body)).statusCode, 400);
  assert.equal(log().match(/malformed hook request/g)?.length, 1);
  assert.match(log(), /"fields":\["related\.\*/);
  assert.ok(!log().includes(canary));
});

const compressed: [encoding: string, status: number][] = [
  ['gzip', 415],
  ['identity', 200],
  ['Identity', 200],
  ['deflate, gzip', 415],
  ['br', 415],
];

for (const [encoding, status] of compressed) {
  test(`a body with content-encoding ${encoding} is ${status}`, async () => {
    const { post, world } = trialApp();
    const body = bodyFor(world, '/tenants/sync');
    const response = await post('/tenants/sync', body, { 'content-encoding': encoding });
    assert.equal(response.statusCode, status);
    if (status === 415) assert.deepEqual(response.json(), { error: 'the body must not be compressed' });
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
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/metrics'],
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

test('another method than POST is 405 where there is a hook', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const) {
    const response = await trialApp().app.inject({ method, url: `/tenants/sync?x=${canary}` });
    assert.deepEqual([response.statusCode, response.headers.allow], [405, 'POST'], method);
    if (method !== 'HEAD') assert.equal(response.body, '{"error":"only POST is answered here"}');
  }
});

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
