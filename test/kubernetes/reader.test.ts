import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createGet } from '../../src/kubernetes/client.ts';
import { createKubernetesReader } from '../../src/kubernetes/reader.ts';
import { tenantsOf } from '../../src/kubernetes/tenants-of.ts';
import { startHttpStub } from '../http-stub.ts';
import { troubleOf } from '../trouble-of.ts';
import { instanceObject, notFound, tenantObject } from './objects.ts';

const readerOf = (url: string) => createKubernetesReader({ url, operatorNamespace: 'ops' });

test('each kind is read from its own path', async () => {
  await using api = await startHttpStub((request) => {
    const name = request.url!.split('/').at(-1)!;
    return notFound(name);
  });
  const reader = readerOf(api.url);
  const answers = await Promise.all([
    reader.instance('main'),
    reader.freshInstance('other'),
    reader.tenant('shop', 'orders'),
    reader.externalSecret('shop', 'orders-postgresql'),
    reader.namespaceLabels('shop'),
    reader.managementSecret('db-admin'),
  ]);
  assert.deepEqual(answers, Array(6).fill(undefined));
  assert.deepEqual(api.seen.toSorted(), [
    'GET /api/v1/namespaces/ops/secrets/db-admin',
    'GET /api/v1/namespaces/shop',
    'GET /apis/external-secrets.io/v1/namespaces/shop/externalsecrets/orders-postgresql',
    'GET /apis/pgtenancy.io/v1alpha1/namespaces/shop/postgresqltenants/orders',
    'GET /apis/pgtenancy.io/v1alpha1/postgresqlinstances/main',
    'GET /apis/pgtenancy.io/v1alpha1/postgresqlinstances/other',
  ]);
});

test('an object comes parsed, with the defaults of its schema', async () => {
  await using api = await startHttpStub(({ url }) => ({
    body: url!.includes('tenants') ? tenantObject('shop', 'orders') : instanceObject('main'),
  }));
  const reader = readerOf(api.url);
  assert.equal((await reader.instance('main'))?.spec.port, 5432);
  assert.equal((await reader.tenant('shop', 'orders'))?.spec.deletionPolicy, 'Retain');
});

test('labels of a Namespace are given, and none are an empty map', async () => {
  await using api = await startHttpStub(({ url }) => ({
    body: {
      kind: 'Namespace',
      metadata: url!.endsWith('/a') ? { name: 'a', labels: { team: 'x' } } : { name: 'b' },
    },
  }));
  assert.deepEqual(await readerOf(api.url).namespaceLabels('a'), { team: 'x' });
  assert.deepEqual(await readerOf(api.url).namespaceLabels('b'), {});
});

test('the management Secret is decoded exactly, and what is not text cannot be taken for a login', async () => {
  const password = ' }!@:/?#[]%20 \'"\\ é\n';
  const data = {
    username: Buffer.from('admin').toString('base64'),
    password: Buffer.from(password).toString('base64'),
    empty: '',
    binary: Buffer.from([0xff, 0xfe, 0x00]).toString('base64'),
  };
  await using api = await startHttpStub(() => ({ body: { kind: 'Secret', metadata: { name: 's' }, data } }));
  const secret = await readerOf(api.url).managementSecret('s');
  assert.ok(secret);
  assert.deepEqual(Object.keys(secret).sort(), ['binary', 'empty', 'password', 'username']);
  assert.equal(secret['binary']?.reveal(), '\uFFFD\uFFFD\0');
  assert.equal(secret['password']?.reveal(), password);
  assert.equal(secret['empty']?.reveal(), '');
});

test('a Secret without data is an empty one', async () => {
  await using api = await startHttpStub(() => ({ body: { kind: 'Secret', metadata: { name: 's' } } }));
  assert.deepEqual(await readerOf(api.url).managementSecret('s'), {});
});

test('a name that no object can have is not asked for and not found', async () => {
  await using api = await startHttpStub(() => ({ body: instanceObject('main') }));
  for (const name of ['..', '.', 'a/b', 'a%2fb', '', 'A', 'x'.repeat(254), 'a..b', 'main?x=1']) {
    assert.equal(await readerOf(api.url).freshInstance(name), undefined);
    assert.equal(await readerOf(api.url).tenant('shop', name), undefined);
    assert.equal(await readerOf(api.url).tenant(name, 'orders'), undefined);
  }
  assert.deepEqual(api.seen, []);
});

const invalid = {
  'a kind that the API server does not know': {
    status: 404,
    body: {
      kind: 'Status',
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    },
  },
  'a 404 that is no Status, as from a wrong address': { status: 404, body: '404 page not found\n' },
  'a 404 for another name': notFound('other'),
  'text instead of JSON': { body: '<html>hello</html>' },
  'an empty answer': { body: '' },
  'another object': { body: instanceObject('other') },
  'another kind': { body: tenantObject('shop', 'main') },
  'an object without metadata': { body: { ...instanceObject('main'), metadata: undefined } },
  'a redirect, which is not followed': { status: 302, body: '', headers: { location: '/elsewhere' } },
  'a 400': { status: 400, body: {} },
};

for (const [what, answer] of Object.entries(invalid)) {
  test(`${what} is an invalid answer and not an absent object`, async () => {
    await using api = await startHttpStub(() => answer);
    assert.equal((await troubleOf(readerOf(api.url).instance('main'))).reason, 'KubernetesAnswerInvalid');
    assert.equal(api.seen.length, 1);
  });
}

for (const [status, reason] of [
  [403, 'KubernetesForbidden'],
  [401, 'KubernetesForbidden'],
  [429, 'KubernetesUnreachable'],
  [500, 'KubernetesUnreachable'],
  [503, 'KubernetesUnreachable'],
] as const) {
  test(`status ${status} is ${reason}, for an object as for the list`, async () => {
    await using api = await startHttpStub(() => ({ status, body: {} }));
    assert.equal((await troubleOf(readerOf(api.url).instance('main'))).reason, reason);
    assert.equal((await troubleOf(readerOf(api.url).tenantsOf('main'))).reason, reason);
  });
}

test('a closed port is KubernetesUnreachable', async () => {
  const stub = await startHttpStub(() => ({ body: {} }));
  await stub[Symbol.asyncDispose]();
  const { reason, message } = await troubleOf(readerOf(stub.url).instance('main'));
  assert.equal(reason, 'KubernetesUnreachable');
  assert.equal(message, 'cannot reach the Kubernetes API: the connection was refused; it is tried again');
});

test('a connection that breaks is tried once more', async () => {
  let broken = 0;
  await using api = await startHttpStub((request) => {
    broken += 1;
    if (broken > 1) return { body: instanceObject('main') };
    request.socket.resetAndDestroy();
    return undefined;
  });
  assert.equal((await readerOf(api.url).instance('main'))?.metadata.name, 'main');
  assert.equal(api.seen.length, 2);
});

test('a server that drips its answer is given up after 5 seconds', async () => {
  await using api = await startHttpStub((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(drip));
    return undefined;
  });
  const start = performance.now();
  const { reason, message } = await troubleOf(readerOf(api.url).instance('main'));
  assert.equal(reason, 'KubernetesUnreachable');
  assert.equal(message, 'cannot reach the Kubernetes API: it did not answer in time; it is tried again');
  assert.ok(performance.now() - start < 6_500);
});

test('tenants of an Instance are gathered over all pages, in order', async () => {
  await using api = await startHttpStub(({ url }) => {
    const last = url!.includes('continue=more%2F1') || url!.includes('continue=more/1');
    return {
      body: {
        kind: 'PostgreSQLTenantList',
        metadata: last ? {} : { continue: 'more/1' },
        items: last
          ? [tenantObject('b', 'y'), tenantObject('a', 'z')]
          : [tenantObject('c', 'x'), tenantObject('a', 'elsewhere', 'other')],
      },
    };
  });
  assert.deepEqual(await readerOf(api.url).tenantsOf('main'), ['a/z', 'b/y', 'c/x']);
  assert.equal(api.seen.length, 2);
});

test('a list whose pages come slowly is given up when its time is over', async () => {
  const body = { kind: 'PostgreSQLTenantList', metadata: { continue: 'more' }, items: [] };
  await using api = await startHttpStub((_, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    }, 50);
    return undefined;
  });
  const get = createGet({ url: api.url, clock: () => 0 });
  const start = performance.now();
  const { reason, message } = await troubleOf(tenantsOf(get, 'main', 400));
  assert.equal(reason, 'KubernetesUnreachable');
  assert.equal(message, 'cannot reach the Kubernetes API: it did not answer in time; it is tried again');
  assert.ok(performance.now() - start < 2_000);
  assert.ok(api.seen.length > 1, 'no single page took too long');
});

test('a list whose pages never end is given up', async () => {
  const body = { kind: 'PostgreSQLTenantList', metadata: { continue: 'more' }, items: [] };
  await using api = await startHttpStub(() => ({ body }));
  assert.equal((await troubleOf(readerOf(api.url).tenantsOf('main'))).reason, 'KubernetesAnswerInvalid');
});

test('a list that is none is not an empty list', async () => {
  await using api = await startHttpStub(() => ({ body: { kind: 'Status', items: [] } }));
  assert.equal((await troubleOf(readerOf(api.url).tenantsOf('main'))).reason, 'KubernetesAnswerInvalid');
});
