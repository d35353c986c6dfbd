import assert from 'node:assert/strict';
import { test } from 'node:test';

import axios from 'axios';

import { startKubernetesApi } from './api.ts';
import { KubeClient } from './client.ts';
import { secrets } from './resources.ts';
import { refusalOf, withApi } from './test-api.ts';

const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
});

test('with a token, only requests that carry it are served', async () => {
  const api = await startKubernetesApi({ token: 'right' });
  try {
    const refusal = await refusalOf(new KubeClient({ url: api.url, token: 'wrong' }).list(secrets));
    assert.equal(refusal.code, 401);
    assert.equal(refusal.reason, 'Unauthorized');
    const { items } = await new KubeClient({ url: api.url, token: 'right' }).list(secrets);
    assert.deepEqual(items, []);
  } finally {
    await api.close();
  }
});

test('while down, connections are destroyed and nothing is written', async () => {
  await withApi([], async (client, api) => {
    const events = client.watch(secrets, { resourceVersion: '0', signal: AbortSignal.timeout(5_000) });
    await client.create(secrets, secret('before'));
    await events.next();
    api.faults.down = true;
    await assert.rejects(events.next(), { message: 'aborted' });
    await assert.rejects(client.create(secrets, secret('during')), /socket hang up|ECONNRESET/);
    api.faults.down = false;
    const { items } = await client.list(secrets);
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['before'],
    );
  });
});

test('a delay holds every request back', async () => {
  await withApi([], async (client, api) => {
    api.faults.delayMs = 150;
    const start = performance.now();
    await client.list(secrets);
    assert.ok(performance.now() - start >= 145);
  });
});

test('the audit lists every write request with its answer, and no reads', async () => {
  await withApi([], async (client, api) => {
    await client.create(secrets, secret('one'));
    await client.get(secrets, 'one', 'default');
    await client.patch(secrets, 'one', 'default', { metadata: { labels: { a: 'b' } } });
    await client.delete(secrets, 'one', 'default');
    await client.delete(secrets, 'one', 'default');
    assert.deepEqual(
      api.audit.map(({ verb, resource, namespace, name, code }) => [verb, resource, namespace, name, code]),
      [
        ['create', 'secrets', 'default', 'one', 201],
        ['patch', 'secrets', 'default', 'one', 200],
        ['delete', 'secrets', 'default', 'one', 200],
        ['delete', 'secrets', 'default', 'one', 404],
      ],
    );
    assert.match(api.audit[0]?.userAgent ?? '', /^axios\//);
  });
});

test('refusals are Status objects', async () => {
  await withApi([], async (_client, api) => {
    const { status, data } = await axios.get<unknown>(`${api.url}/api/v1/namespaces/default/secrets/none`, {
      validateStatus: () => true,
    });
    assert.equal(status, 404);
    assert.deepEqual(data, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'secrets "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'secrets' },
      code: 404,
    });
  });
});

test('bodies that are no JSON, of another media type or of unknown patches are refused', async () => {
  await withApi([], async (client, api) => {
    await client.create(secrets, secret('one'));
    const url = `${api.url}/api/v1/namespaces/default/secrets`;
    const send = async (method: string, path: string, data: string, type: string) => {
      const headers = { 'content-type': type };
      return (await axios.request({ method, url: url + path, data, headers, validateStatus: () => true }))
        .status;
    };
    assert.equal(await send('POST', '', '{', 'application/json'), 400);
    assert.equal(await send('POST', '', 'a: b', 'application/yaml'), 415);
    assert.equal(await send('PATCH', '/one', '{}', 'application/strategic-merge-patch+json'), 415);
    assert.equal(await send('POST', '?dryRun=All', '{}', 'application/json'), 400);
  });
});

test('it says that it is ready', async () => {
  await withApi([], async (_client, api) => {
    assert.equal((await axios.get(`${api.url}/readyz`)).data, 'ok');
  });
});
