import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubeObject } from './client.ts';
import { events, namespaces, secrets } from './resources.ts';
import { eventually, refusalOf, withApi } from './test-api.ts';

const secret = (more: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'one', namespace: 'default' },
  ...more,
});
const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

test('stringData is merged into data, and the type defaults to Opaque', async () => {
  await withApi([], async (client) => {
    const created = await client.create(secrets, secret({ data: { a: 'YQ==' }, stringData: { b: 'é' } }));
    assert.deepEqual(created.data, { a: 'YQ==', b: 'w6k=' });
    assert.equal(created['type'], 'Opaque');
    assert.equal(created['stringData'], undefined);
    assert.equal(created.metadata.generation, undefined);
  });
});

test('a Secret with bad base64, a bad key, another type or immutable data is refused', async () => {
  await withApi([], async (client) => {
    assert.equal((await refusalOf(client.create(secrets, secret({ data: { a: '*' } })))).code, 400);
    assert.match(
      (await refusalOf(client.create(secrets, secret({ data: { 'a b': '' } })))).message,
      /data\[a b\]: Invalid value/,
    );
    const basic = secret({ type: 'kubernetes.io/basic-auth' });
    assert.match(
      (await refusalOf(client.create(secrets, basic))).message,
      /data\[username\]: Required value/,
    );
    const created = await client.create(secrets, secret({ immutable: true, stringData: { a: 'b' } }));
    const retyped = client.update(secrets, { ...created, type: 'other' });
    assert.match((await refusalOf(retyped)).message, /type: Invalid value: "other": field is immutable/);
    const changed = client.patch(secrets, 'one', 'default', { data: { a: '' } });
    assert.match((await refusalOf(changed)).message, /field is immutable when `immutable` is set/);
  });
});

test('a PUT of a Secret without a resourceVersion overwrites', async () => {
  await withApi([], async (client) => {
    await client.create(secrets, secret({ stringData: { a: 'b' } }));
    const replaced = await client.update(secrets, secret({ stringData: { c: 'd' } }));
    assert.deepEqual(replaced.data, { c: 'ZA==' });
  });
});

test('events live in the namespace of what they are about, or in default', async () => {
  await withApi([], async (client) => {
    const about = (involved: string | undefined, home: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: home },
      involvedObject: {
        kind: 'Widget',
        name: 'w',
        ...(involved === undefined ? {} : { namespace: involved }),
      },
      reason: 'SyncError',
      count: 1,
    });
    assert.equal((await client.create(events, about(undefined, 'default')))['reason'], 'SyncError');
    assert.match(
      (await refusalOf(client.create(events, about('default', 'kube-system')))).message,
      /does not match event\.namespace/,
    );
  });
});

test('a new namespace is active and named by its label; its name is a DNS label', async () => {
  await withApi([], async (client) => {
    const created = await client.create(namespaces, namespace('team'));
    assert.deepEqual(created.status, { phase: 'Active' });
    assert.equal(created.metadata.labels?.['kubernetes.io/metadata.name'], 'team');
    assert.equal((await refusalOf(client.create(namespaces, namespace('a.b')))).code, 422);
  });
});

test('a deleted namespace is emptied before it goes, and takes nothing new', async () => {
  await withApi([], async (client) => {
    await client.create(namespaces, namespace('team'));
    const inTeam = (name: string, finalizers: string[] = []) => ({
      ...secret({}),
      metadata: { name, namespace: 'team', finalizers },
    });
    await client.create(secrets, inTeam('plain'));
    await client.create(secrets, inTeam('held', ['a.b/c']));
    await client.delete(namespaces, 'team');
    await eventually(
      'only the held one is left',
      async () => (await client.list(secrets, 'team')).items.length === 1,
    );
    const terminating = await client.get(namespaces, 'team');
    assert.equal(terminating?.status?.['phase'], 'Terminating');
    const refusal = await refusalOf(client.create(secrets, inTeam('late')));
    assert.equal(refusal.code, 403);
    assert.match(
      refusal.message,
      /unable to create new content in namespace team because it is being terminated/,
    );
    await client.patch(secrets, 'held', 'team', { metadata: { finalizers: null } });
    await eventually(
      'the namespace is gone',
      async () => (await client.get(namespaces, 'team')) === undefined,
    );
    await client.create(namespaces, namespace('team'));
  });
});

test('a namespace with a finalizer of its own waits for that too', async () => {
  await withApi([], async (client) => {
    const held = { ...namespace('team'), metadata: { name: 'team', finalizers: ['a.b/c'] } };
    await client.create(namespaces, held);
    await client.delete(namespaces, 'team');
    await eventually(
      'empty',
      async () => (await client.get(namespaces, 'team'))?.spec?.['finalizers'] === undefined,
    );
    await client.patch(namespaces, 'team', undefined, { metadata: { finalizers: null } });
    assert.equal(await client.get(namespaces, 'team'), undefined);
  });
});
