import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { KubeClient, KubeObject, OwnerReference } from './client.ts';
import { secrets } from './resources.ts';
import { eventually, withApi } from './test-api.ts';
import { widget, widgetCrd, widgets } from './widget.ts';

const crd = widgetCrd({ spec: { type: 'object' } });

const ownerOf = (
  { apiVersion, kind, metadata }: KubeObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  ...more,
});

const dependent = (
  name: string,
  ownerReferences: OwnerReference[],
  finalizers: string[] = [],
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', ownerReferences, finalizers },
});

const isGone =
  (client: KubeClient, name: string, resource = secrets) =>
  async () =>
    (await client.get(resource, name, 'default')) === undefined;

test('dependents follow their owner, and so do theirs', async () => {
  await withApi([crd], async (client) => {
    const owner = await client.create(widgets, widget('owner'));
    const child = await client.create(secrets, dependent('child', [ownerOf(owner)]));
    await client.create(secrets, dependent('grandchild', [ownerOf(child)]));
    await client.create(secrets, dependent('stranger', []));
    await client.delete(widgets, 'owner', 'default');
    await eventually('child gone', isGone(client, 'child'));
    await eventually('grandchild gone', isGone(client, 'grandchild'));
    assert.notEqual(await client.get(secrets, 'stranger', 'default'), undefined);
  });
});

test('a dependent with a finalizer is left terminating', async () => {
  await withApi([crd], async (client) => {
    const owner = await client.create(widgets, widget('owner'));
    await client.create(secrets, dependent('child', [ownerOf(owner)], ['a.b/c']));
    await client.delete(widgets, 'owner', 'default');
    await eventually('terminating', async () => {
      const child = await client.get(secrets, 'child', 'default');
      return child?.metadata.deletionTimestamp !== undefined;
    });
    await client.patch(secrets, 'child', 'default', { metadata: { finalizers: null } });
    assert.equal(await isGone(client, 'child')(), true);
  });
});

test('an owner of the same name but another UID is no owner', async () => {
  await withApi([crd], async (client) => {
    const owner = await client.create(widgets, widget('owner'));
    await client.create(secrets, dependent('child', [ownerOf(owner, { uid: 'another' })]));
    await eventually('child gone', isGone(client, 'child'));
  });
});

test('one living owner is enough, and the dead one is taken off', async () => {
  await withApi([crd], async (client) => {
    const [a, b] = [await client.create(widgets, widget('a')), await client.create(widgets, widget('b'))];
    await client.create(secrets, dependent('child', [ownerOf(a), ownerOf(b)]));
    await client.delete(widgets, 'a', 'default');
    await eventually('one owner', async () => {
      const child = await client.get(secrets, 'child', 'default');
      return child?.metadata.ownerReferences?.length === 1;
    });
    const child = await client.get(secrets, 'child', 'default');
    assert.equal(child?.metadata.ownerReferences?.[0]?.name, 'b');
    assert.equal(child.metadata.deletionTimestamp, undefined);
  });
});

test('foreground deletion waits for dependents that block it', async () => {
  await withApi([crd], async (client) => {
    const owner = await client.create(widgets, widget('owner'));
    await client.create(
      secrets,
      dependent('child', [ownerOf(owner, { blockOwnerDeletion: true })], ['a.b/c']),
    );
    await client.delete(widgets, 'owner', 'default', { propagation: 'Foreground' });
    await eventually('child terminating', async () => {
      const child = await client.get(secrets, 'child', 'default');
      return child?.metadata.deletionTimestamp !== undefined;
    });
    assert.deepEqual((await client.get(widgets, 'owner', 'default'))?.metadata.finalizers, [
      'foregroundDeletion',
    ]);
    await client.patch(secrets, 'child', 'default', { metadata: { finalizers: null } });
    await eventually('owner gone', isGone(client, 'owner', widgets));
  });
});

test('foreground deletion deletes all dependents at once, and waits only for those that block it', async () => {
  await withApi([crd], async (client) => {
    const held = ['a.b/c'];
    const owner = await client.create(widgets, widget('owner'));
    await client.create(secrets, dependent('blocking', [ownerOf(owner, { blockOwnerDeletion: true })], held));
    await client.create(secrets, dependent('other', [ownerOf(owner)], held));
    await client.delete(widgets, 'owner', 'default', { propagation: 'Foreground' });
    await eventually('both terminating', async () => {
      const found = await Promise.all(
        ['blocking', 'other'].map((name) => client.get(secrets, name, 'default')),
      );
      return found.every((child) => child?.metadata.deletionTimestamp !== undefined);
    });
    await client.patch(secrets, 'blocking', 'default', { metadata: { finalizers: null } });
    await eventually('owner gone', isGone(client, 'owner', widgets));
    assert.equal(await isGone(client, 'other')(), false);
  });
});

test('orphaned dependents stay and lose the reference', async () => {
  await withApi([crd], async (client) => {
    const owner = await client.create(widgets, widget('owner'));
    await client.create(secrets, dependent('child', [ownerOf(owner)]));
    await client.delete(widgets, 'owner', 'default', { propagation: 'Orphan' });
    await eventually('owner gone', isGone(client, 'owner', widgets));
    const child = await client.get(secrets, 'child', 'default');
    assert.equal(child?.metadata.ownerReferences, undefined);
    assert.equal(child?.metadata.deletionTimestamp, undefined);
  });
});
