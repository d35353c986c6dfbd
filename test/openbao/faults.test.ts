import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';

import { startHttpStub, type StubAnswer } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { exampleCredential, examplePath, keyOf, passwordCanary, storeAt } from './example.ts';

const token = 's.CANARYtokenCANARYtoken';
const path = examplePath('x');
const dataUrl = `/v1/pg-tenants/data/${keyOf(path)}`;
const active = { initialized: true, sealed: false, standby: false };

const version = { version: 1, created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false };
const live = { body: { data: { data: {}, metadata: version } } };
const deleted = { status: 404, body: { data: { data: null, metadata: version } } };
const absent = { status: 404, body: { errors: [] } };

type Answers = readonly (StubAnswer | null)[];

/** Answers the requests in turn, the last answer again and again; `null` cuts the connection. */
const answering = (answers: Answers) => {
  let next = 0;
  return (request: IncomingMessage): StubAnswer | undefined => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    if (answer === null) request.socket.resetAndDestroy();
    return answer ?? undefined;
  };
};

const inTurn = (...answers: Answers) => startHttpStub(answering(answers));

/** For writes only: the look before them finds nothing that would make a new version expire. */
const writesInTurn = (...answers: Answers) => {
  const answer = answering(answers);
  const keeping = { body: { data: { delete_version_after: '0s' } } };
  return startHttpStub((request) => {
    if (request.method !== 'GET') return answer(request);
    return request.url === '/v1/pg-tenants/config' ? keeping : absent;
  });
};

for (const [what, first] of [
  ['a 500', { status: 500, body: { errors: ['internal error'] } }],
  ['a 502', { status: 502, body: 'bad gateway' }],
  ['a broken connection', null],
] as const) {
  test(`after ${what} a read is made once more`, async () => {
    await using stub = await inTurn(first, live);
    assert.equal((await storeAt(stub.url, token).read(path)).stored.kind, 'live');
    assert.deepEqual(stub.seen, [`GET ${dataUrl}`, `GET ${dataUrl}`]);
  });

  test(`after ${what} a write is not sent again, and its outcome is unknown`, async () => {
    await using stub = await writesInTurn(first);
    const trouble = await troubleOf(
      storeAt(stub.url, token).write(path, exampleCredential(), 0),
      passwordCanary,
      token,
    );
    assert.equal(trouble.outcomeUnknown, true);
    assert.deepEqual(stub.seen.slice(2), [`POST ${dataUrl}`]);
  });
}

for (const [what, look] of [
  ['a 500', { status: 500, body: '' }],
  ['sealed', { status: 503, body: { errors: ['Vault is sealed'] } }],
  ['of another shape', { body: { data: {} } }],
] as const)
  test(`a write is not sent when the look before it is ${what}`, async () => {
    await using stub = await inTurn(look);
    const trouble = await troubleOf(
      storeAt(stub.url, token).write(path, exampleCredential(), 0),
      passwordCanary,
    );
    assert.equal(trouble.outcomeUnknown, false);
    assert.ok(stub.seen.every((line) => line.startsWith('GET ')));
  });

test('a read is not made a third time', async () => {
  await using stub = await inTurn({ status: 500, body: '' });
  assert.equal((await troubleOf(storeAt(stub.url, token).read(path))).reason, 'OpenBaoError');
  assert.equal(stub.seen.length, 2);
});

for (const [status, body, reason] of [
  [503, { errors: ['Vault is sealed'] }, 'OpenBaoSealed'],
  [503, 'no upstream', 'OpenBaoSealed'],
  [400, { errors: ['Waiting for the primary to upgrade'] }, 'OpenBaoError'],
  [429, { errors: [] }, 'OpenBaoError'],
  [418, '', 'OpenBaoError'],
  [404, { errors: ['no handler for route'] }, 'OpenBaoMountInvalid'],
  [404, '404 page not found', 'OpenBaoMountInvalid'],
  [404, { warnings: ['Invalid path for a versioned K/V secrets engine'] }, 'OpenBaoMountInvalid'],
  [404, { errors: [], warnings: ['Invalid path'] }, 'OpenBaoMountInvalid'],
  [405, { errors: [] }, 'OpenBaoMountInvalid'],
  [200, '<html>', 'OpenBaoMountInvalid'],
  [200, { data: { username: 'x' } }, 'OpenBaoMountInvalid'],
] as const) {
  test(`status ${status} with ${JSON.stringify(body)} is ${reason}, told by one read`, async () => {
    await using stub = await inTurn({ status, body });
    assert.equal((await troubleOf(storeAt(stub.url, token).read(path))).reason, reason);
    assert.deepEqual(stub.seen, [`GET ${dataUrl}`]);
  });
}

test('a 500 for want of an active node is told as such', async () => {
  const errors = ['local node not active but active cluster node not found'];
  await using stub = await inTurn({ status: 500, body: { errors } });
  assert.equal((await troubleOf(storeAt(stub.url, token).read(path))).reason, 'OpenBaoSealed');
});

for (const status of [301, 302, 307, 308]) {
  test(`a redirect with ${status} is not followed: it would carry the token elsewhere`, async () => {
    await using elsewhere = await inTurn({ body: {} });
    await using stub = await inTurn({ status, body: '', headers: { location: `${elsewhere.url}/${token}` } });
    const store = storeAt(stub.url, token);
    for (const call of [() => store.read(path), () => store.write(path, exampleCredential(), 0)]) {
      const trouble = await troubleOf(call(), token, passwordCanary);
      assert.deepEqual([trouble.reason, trouble.outcomeUnknown], ['OpenBaoError', false]);
    }
    assert.deepEqual(elsewhere.seen, []);
  });
}

for (const [what, answer, reason] of [
  ['without a number', { body: { data: { ...version, version: '1' } } }, 'OpenBaoError'],
  ['that is no JSON', { body: '<html>' }, 'OpenBaoError'],
] as const) {
  test(`a write that is answered ${what} has an unknown outcome`, async () => {
    await using stub = await writesInTurn(answer);
    const trouble = await troubleOf(storeAt(stub.url, token).write(path, exampleCredential(), 0));
    assert.deepEqual([trouble.reason, trouble.outcomeUnknown], [reason, true]);
  });
}

const inactive = [
  ['a standby', { status: 429, body: { ...active, standby: true } }],
  ['sealed', { status: 503, body: { ...active, sealed: true } }],
  ['not initialized', { status: 501, body: { ...active, initialized: false } }],
  ['of no known state', { body: 'hello' }],
] as const;

for (const [what, health] of inactive) {
  const expected = what === 'of no known state' ? 'OpenBaoError' : 'OpenBaoSealed';

  test(`a node that is ${what} is neither asked to delete nor believed to have deleted`, async () => {
    await using stub = await inTurn(health);
    const store = storeAt(stub.url, token);
    for (const call of [() => store.delete(path), () => store.isGone(path)]) {
      assert.equal((await troubleOf(call())).reason, expected);
    }
    assert.ok(stub.seen.every((line) => line === 'GET /v1/sys/health'));
  });

  for (const [state, answer] of [
    ['absent', absent],
    ['deleted', deleted],
  ] as const) {
    test(`a node that is ${what} is not believed that a credential is ${state}`, async () => {
      await using stub = await inTurn(answer, health);
      assert.equal((await troubleOf(storeAt(stub.url, token).read(path))).reason, expected);
      assert.deepEqual([...new Set(stub.seen)], [`GET ${dataUrl}`, 'GET /v1/sys/health']);
    });
  }
}

test('the active node is believed that a credential is deleted', async () => {
  await using stub = await inTurn(deleted, { body: active });
  const { stored } = await storeAt(stub.url, token).read(path);
  assert.deepEqual(stored, { kind: 'deleted', version: 1 });
});

test('a credential that is there costs one request, whoever answers', async () => {
  await using stub = await inTurn(live);
  await storeAt(stub.url, token).read(path);
  assert.deepEqual(stub.seen, [`GET ${dataUrl}`]);
});

test('health is asked without token and outside of the namespace', async () => {
  const headers: (string | string[] | undefined)[] = [];
  await using stub = await startHttpStub((request) => {
    headers.push(request.headers['x-vault-token'], request.headers['x-vault-namespace']);
    return request.url === '/v1/sys/health' ? { body: active } : { status: 204, body: '' };
  });
  await storeAt(stub.url, token, { namespace: 'team' }).delete(path);
  assert.deepEqual(headers, [undefined, undefined, token, 'team']);
});

test('an answer that is too long is given up', async () => {
  await using stub = await inTurn({ body: 'x'.repeat(2_000_000) });
  assert.equal((await troubleOf(storeAt(stub.url, token).read(path))).reason, 'OpenBaoUnreachable');
});

test('a server that drips its answer is given up at the time limit, and not asked again', async () => {
  await using stub = await startHttpStub((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(drip));
    return undefined;
  });
  const store = storeAt(stub.url, token, { timeoutMs: 400 });
  const start = performance.now();
  const { reason, message } = await troubleOf(store.read(path));
  assert.deepEqual(
    [reason, message],
    ['OpenBaoUnreachable', 'cannot reach OpenBao: it did not answer in time; it is tried again'],
  );
  assert.ok(performance.now() - start < 1_500);
  assert.equal(stub.seen.length, 1);
});

test('a proxy of the environment is not used', async (context) => {
  await using proxy = await inTurn({ body: {} });
  await using stub = await inTurn(live);
  for (const name of ['HTTP_PROXY', 'http_proxy']) {
    const before = process.env[name];
    process.env[name] = proxy.url;
    context.after(() => {
      if (before === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before;
    });
  }
  await storeAt(stub.url, token).read(path);
  assert.deepEqual(proxy.seen, []);
});
