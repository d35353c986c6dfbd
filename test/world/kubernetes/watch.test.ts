import assert from 'node:assert/strict';
import { test } from 'node:test';

import axios from 'axios';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

import { startKubernetesApi } from './api.ts';
import { KubeClient, type WatchEvent } from './client.ts';
import { secrets } from './resources.ts';
import { eventually, withApi } from './test-api.ts';

const secret = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', labels },
});

const take = async (events: AsyncGenerator<WatchEvent>, count: number): Promise<string[]> => {
  const seen: string[] = [];
  for await (const { type, object } of events) {
    seen.push(`${type} ${object.metadata.name}`);
    if (seen.length === count) break;
  }
  return seen;
};

test('a watch replays what happened since its resourceVersion and goes on from there', async () => {
  await withApi([], async (client) => {
    const { resourceVersion } = await client.list(secrets);
    await client.create(secrets, secret('early'));
    const signal = AbortSignal.timeout(5_000);
    const seen = take(client.watch(secrets, { resourceVersion, signal, namespace: 'default' }), 4);
    await client.patch(secrets, 'early', 'default', { metadata: { labels: { a: 'b' } } });
    await client.create(secrets, { ...secret('late') });
    await client.delete(secrets, 'early', 'default');
    assert.deepEqual(await seen, ['ADDED early', 'MODIFIED early', 'ADDED late', 'DELETED early']);
  });
});

test('the object of a DELETED event carries the resourceVersion of the deletion', async () => {
  await withApi([], async (client) => {
    const created = await client.create(secrets, secret('one'));
    await client.delete(secrets, 'one', 'default');
    const resourceVersion = created.metadata.resourceVersion ?? '';
    const events = client.watch(secrets, { resourceVersion, signal: AbortSignal.timeout(5_000) });
    const { value } = (await events.next()) as IteratorYieldResult<WatchEvent>;
    assert.equal(value.type, 'DELETED');
    assert.equal(Number(value.object.metadata.resourceVersion), Number(resourceVersion) + 1);
    await events.return(undefined);
  });
});

test('a watch whose start is forgotten gets an ERROR event with code 410', async () => {
  const api = await startKubernetesApi({ watchHistory: 2 });
  try {
    const client = new KubeClient({ url: api.url });
    const { resourceVersion } = await client.list(secrets);
    for (const name of ['a', 'b', 'c']) await client.create(secrets, secret(name));
    const events = client.watch(secrets, { resourceVersion, signal: AbortSignal.timeout(5_000) });
    const { value } = (await events.next()) as IteratorYieldResult<WatchEvent>;
    assert.equal(value.type, 'ERROR');
    assert.equal(value.object['code'], 410);
    assert.equal(value.object['reason'], 'Expired');
    assert.equal((await events.next()).done, true);
  } finally {
    await api.close();
  }
});

test('selectors: an object that begins to match is added, one that ceases to is deleted', async () => {
  await withApi([], async (client, api) => {
    await client.create(secrets, secret('one', { on: 'yes' }));
    await client.create(secrets, secret('two'));
    const lines = await axios.get<Readable>(`${api.url}/api/v1/secrets?watch=1&labelSelector=on=yes`, {
      responseType: 'stream',
    });
    const seen: string[] = [];
    createInterface({ input: lines.data }).on('line', (line) => {
      const { type, object } = JSON.parse(line) as WatchEvent;
      seen.push(`${type} ${object.metadata.name}`);
    });
    await client.patch(secrets, 'one', 'default', { metadata: { labels: { on: 'no' } } });
    await client.patch(secrets, 'two', 'default', { metadata: { labels: { on: 'yes' } } });
    await client.patch(secrets, 'two', 'default', { metadata: { labels: { more: 'x' } } });
    await eventually('four events', () => Promise.resolve(seen.length === 4));
    assert.deepEqual(seen, ['ADDED one', 'DELETED one', 'ADDED two', 'MODIFIED two']);
    lines.data.destroy();
  });
});

test('a watch for one name sees only that one, and ends after timeoutSeconds', async () => {
  await withApi([], async (client, api) => {
    for (const name of ['one', 'two']) await client.create(secrets, secret(name));
    const { data } = await axios.get<string>(
      `${api.url}/api/v1/namespaces/default/secrets?watch=true&fieldSelector=metadata.name=two&timeoutSeconds=1`,
      { responseType: 'text', transformResponse: (text: string) => text },
    );
    const lines = data.trim().split('\n');
    assert.equal(lines.length, 1);
    assert.equal((JSON.parse(lines[0] ?? '') as WatchEvent).object.metadata.name, 'two');
  });
});

test('closing the API ends its watches', async () => {
  const api = await startKubernetesApi();
  const client = new KubeClient({ url: api.url });
  const signal = AbortSignal.timeout(5_000);
  const events = client.watch(secrets, { resourceVersion: '0', signal });
  await client.create(secrets, secret('one'));
  await events.next();
  await api.close();
  await assert.rejects(events.next(), { message: 'aborted' });
  assert.equal(signal.aborted, false);
});
