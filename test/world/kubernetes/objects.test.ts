import assert from 'node:assert/strict';
import { test } from 'node:test';

import axios from 'axios';

import type { KubeObject } from './client.ts';
import { secrets } from './resources.ts';
import { refusalOf, withApi } from './test-api.ts';
import { widget, widgetCrd, widgets } from './widget.ts';

const open = { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } };
const crd = widgetCrd({ spec: open });

test('a created object carries uid, times, generation 1 and a manager, and no status', async () => {
  await withApi([crd], async (client) => {
    const created = await client.create(widgets, {
      ...widget('one', { size: 1 }),
      status: { phase: 'Ready' },
    });
    const { metadata } = created;
    assert.match(metadata.uid ?? '', /^[0-9a-f-]{36}$/);
    assert.match(metadata.creationTimestamp ?? '', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    assert.equal(metadata.generation, 1);
    assert.equal((metadata['managedFields'] as unknown[]).length, 1);
    assert.equal(created.status, undefined);
    assert.deepEqual(await client.get(widgets, 'one', 'default'), created);
  });
});

test('a default of the status is what an object shows that has none yet, until the first write', async () => {
  const defaultStatus = { observedGeneration: -1 };
  await withApi([widgetCrd({ spec: open, defaultStatus })], async (client) => {
    const created = await client.create(widgets, {
      ...widget('one', { size: 1 }),
      status: { phase: 'Ready' },
    });
    assert.deepEqual(created.status, defaultStatus);
    assert.deepEqual(await client.get(widgets, 'one', 'default'), created);
    const written = await client.updateStatus(widgets, { ...created, status: { phase: 'Ready' } });
    assert.deepEqual(written.status, { phase: 'Ready' });
  });
});

test('a name is generated from generateName', async () => {
  await withApi([crd], async (client) => {
    const object = { ...widget(''), metadata: { generateName: 'w-', namespace: 'default' } };
    const created = await client.create(widgets, object as unknown as KubeObject);
    assert.match(created.metadata.name, /^w-[a-z0-9]{5}$/);
  });
});

test('the same name twice is AlreadyExists', async () => {
  await withApi([crd], async (client) => {
    await client.create(widgets, widget('one'));
    const refusal = await refusalOf(client.create(widgets, widget('one')));
    assert.equal(refusal.code, 409);
    assert.equal(refusal.reason, 'AlreadyExists');
    assert.equal(refusal.message, 'widgets.example.org "one" already exists');
  });
});

test('an update with an old resourceVersion is a conflict, one without is refused for custom resources', async () => {
  await withApi([crd], async (client) => {
    const first = await client.create(widgets, widget('one', { size: 1 }));
    await client.update(widgets, { ...first, spec: { size: 2 } });
    const stale = await refusalOf(client.update(widgets, { ...first, spec: { size: 3 } }));
    assert.equal(stale.code, 409);
    assert.match(
      stale.message,
      /^Operation cannot be fulfilled on widgets\.example\.org "one": the object has been modified/,
    );
    const blind = await refusalOf(client.update(widgets, widget('one', { size: 3 })));
    assert.match(
      blind.message,
      /metadata\.resourceVersion: Invalid value: 0: must be specified for an update/,
    );
    assert.deepEqual((await client.get(widgets, 'one', 'default'))?.spec, { size: 2 });
  });
});

test('only changes outside of metadata and status raise the generation', async () => {
  await withApi([crd], async (client) => {
    const first = await client.create(widgets, widget('one', { size: 1 }));
    const labelled = await client.patch(widgets, 'one', 'default', { metadata: { labels: { a: 'b' } } });
    assert.equal(labelled.metadata.generation, 1);
    const withStatus = await client.updateStatus(widgets, { ...labelled, status: { phase: 'Ready' } });
    assert.equal(withStatus.metadata.generation, 1);
    const resized = await client.patch(widgets, 'one', 'default', { spec: { size: 2 } });
    assert.equal(resized.metadata.generation, 2);
    assert.ok(Number(resized.metadata.resourceVersion) > Number(first.metadata.resourceVersion));
  });
});

test('a write that changes nothing keeps the resourceVersion', async () => {
  await withApi([crd], async (client) => {
    const first = await client.create(widgets, widget('one', { size: 1 }));
    const again = await client.update(widgets, { ...first, metadata: { ...first.metadata, labels: {} } });
    assert.deepEqual(again, first);
    const status = await client.updateStatus(widgets, { ...first, status: { phase: 'A' } });
    const same = await client.updateStatus(widgets, { ...status, status: { phase: 'A' } });
    assert.equal(same.metadata.resourceVersion, status.metadata.resourceVersion);
  });
});

test('the main endpoint ignores status, the status endpoint ignores everything else', async () => {
  await withApi([crd], async (client) => {
    const first = await client.create(widgets, widget('one', { size: 1 }));
    const main = await client.update(widgets, { ...first, spec: { size: 2 }, status: { phase: 'Fake' } });
    assert.equal(main.status, undefined);
    const edited = {
      ...main,
      metadata: { ...main.metadata, labels: { a: 'b' } },
      spec: { size: 9 },
      status: { phase: 'Ready' },
    };
    const status = await client.updateStatus(widgets, edited);
    assert.deepEqual(status.status, { phase: 'Ready' });
    assert.deepEqual(status.spec, { size: 2 });
    assert.equal(status.metadata.labels, undefined);
    const emptied = await client.updateStatus(widgets, { ...status, status: {} });
    assert.deepEqual(emptied.status, {});
  });
});

test('without the status subresource status is an ordinary member, and its endpoint is not there', async () => {
  await withApi([widgetCrd({ spec: open, hasStatus: false })], async (client) => {
    const first = await client.create(widgets, { ...widget('one'), status: { phase: 'A' } });
    assert.deepEqual(first.status, { phase: 'A' });
    assert.equal((await refusalOf(client.updateStatus(widgets, first))).code, 404);
    const changed = await client.update(widgets, { ...first, status: { phase: 'B' } });
    assert.equal(changed.metadata.generation, 2);
  });
});

test('a merge patch removes members by null, a JSON patch changes single values', async () => {
  await withApi([crd], async (client, api) => {
    await client.create(widgets, widget('one', { size: 1, color: 'red' }));
    const merged = await client.patch(widgets, 'one', 'default', { spec: { color: null } });
    assert.deepEqual(merged.spec, { size: 1 });
    const url = `${api.url}/apis/example.org/v1/namespaces/default/widgets/one`;
    const send = (operations: unknown[]) =>
      axios.patch<KubeObject>(url, operations, {
        headers: { 'content-type': 'application/json-patch+json' },
        validateStatus: () => true,
      });
    const patched = await send([
      { op: 'test', path: '/spec/size', value: 1 },
      { op: 'add', path: '/metadata/labels', value: { 'a/b': 'c' } },
      { op: 'replace', path: '/spec/size', value: 5 },
    ]);
    assert.deepEqual(patched.data.spec, { size: 5 });
    const unlabelled = await send([{ op: 'remove', path: '/metadata/labels/a~1b' }]);
    assert.deepEqual(unlabelled.data.metadata.labels ?? {}, {});
    assert.equal((await send([{ op: 'test', path: '/spec/size', value: 1 }])).status, 422);
  });
});

test('lists are ordered, carry the newest resourceVersion and obey selectors', async () => {
  await withApi([crd], async (client, api) => {
    for (const [name, team] of [
      ['b', 'x'],
      ['a', 'y'],
      ['c', 'x'],
    ] as const) {
      const object = widget(name);
      await client.create(widgets, { ...object, metadata: { ...object.metadata, labels: { team } } });
    }
    const list = await client.list(widgets);
    assert.deepEqual(
      list.items.map(({ metadata }) => metadata.name),
      ['a', 'b', 'c'],
    );
    assert.equal(list.resourceVersion, list.items[2]?.metadata.resourceVersion);
    const select = async (query: string) => {
      const { data } = await axios.get<{ kind: string; items: KubeObject[] }>(
        `${api.url}/apis/example.org/v1/namespaces/default/widgets?${query}`,
      );
      assert.equal(data.kind, 'WidgetList');
      return data.items.map(({ metadata }) => metadata.name).join('');
    };
    assert.equal(await select('labelSelector=team=x'), 'bc');
    assert.equal(await select('labelSelector=team!=x'), 'a');
    assert.equal(await select(`labelSelector=${encodeURIComponent('team in (y,z),!other')}`), 'a');
    assert.equal(await select('fieldSelector=metadata.name=c'), 'c');
  });
});

test('a delete with the UID of another object is a conflict', async () => {
  await withApi([crd], async (client) => {
    const { metadata } = await client.create(widgets, widget('one'));
    const refusal = await refusalOf(client.delete(widgets, 'one', 'default', { uid: 'other' }));
    assert.equal(refusal.code, 409);
    assert.match(refusal.message, /UID in precondition: other, UID in object meta/);
    assert.equal(await client.delete(widgets, 'one', 'default', { uid: metadata.uid ?? '' }), true);
    assert.equal(await client.get(widgets, 'one', 'default'), undefined);
    assert.equal(await client.delete(widgets, 'one', 'default'), false);
  });
});

test('a finalizer keeps a deleted object until it is taken away, and no new one may come', async () => {
  await withApi([crd], async (client) => {
    const object = widget('one');
    await client.create(widgets, { ...object, metadata: { ...object.metadata, finalizers: ['a.b/c'] } });
    await client.delete(widgets, 'one', 'default');
    const terminating = await client.get(widgets, 'one', 'default');
    assert.ok(terminating?.metadata.deletionTimestamp !== undefined);
    assert.equal(terminating.metadata.generation, 2);
    const more = { ...terminating, metadata: { ...terminating.metadata, finalizers: ['a.b/c', 'd.e/f'] } };
    assert.match(
      (await refusalOf(client.update(widgets, more))).message,
      /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"d\.e\/f"\}/,
    );
    await client.delete(widgets, 'one', 'default');
    const again = await client.get(widgets, 'one', 'default');
    assert.deepEqual(again, terminating);
    await client.patch(widgets, 'one', 'default', { metadata: { finalizers: null } });
    assert.equal(await client.get(widgets, 'one', 'default'), undefined);
  });
});

test('objects of another kind, version, name or namespace than the path are bad requests', async () => {
  await withApi([crd], async (client, api) => {
    const wrongVersion = await refusalOf(
      client.create(widgets, { ...widget('a'), apiVersion: 'example.org/v2' }),
    );
    assert.equal(wrongVersion.code, 400);
    assert.match(
      wrongVersion.message,
      /the API version in the data \(example\.org\/v2\) does not match the expected API version \(example\.org\/v1\)/,
    );
    const wrongKind = await refusalOf(client.create(widgets, { ...widget('a'), kind: 'Gadget' }));
    assert.equal(wrongKind.code, 400);
    const other = await axios.post(
      `${api.url}/apis/example.org/v1/namespaces/kube-system/widgets`,
      widget('a'),
      { validateStatus: () => true },
    );
    assert.equal(other.status, 400);
    const created = await client.create(widgets, widget('a'));
    const renamed = await axios.put(`${api.url}/apis/example.org/v1/namespaces/default/widgets/b`, created, {
      validateStatus: () => true,
    });
    assert.equal(renamed.status, 404);
  });
});

test('names are RFC 1123 subdomains of at most 253 characters', async () => {
  await withApi([crd], async (client) => {
    assert.match(
      (await refusalOf(client.create(widgets, widget('Big_Name')))).message,
      /^Widget\.example\.org "Big_Name" is invalid: metadata\.name: Invalid value: "Big_Name": a lowercase RFC 1123 subdomain/,
    );
    assert.match(
      (await refusalOf(client.create(widgets, widget('a'.repeat(254))))).message,
      /no more than 253/,
    );
    assert.match(
      (await refusalOf(client.create(widgets, widget('')))).message,
      /metadata\.name: Required value/,
    );
  });
});

test('label values longer than 63 characters and two controllers are refused', async () => {
  await withApi([crd], async (client) => {
    const withMeta = (extra: object) =>
      client.create(widgets, { ...widget('a'), metadata: { ...widget('a').metadata, ...extra } });
    assert.match(
      (await refusalOf(withMeta({ labels: { a: 'x'.repeat(64) } }))).message,
      /metadata\.labels: Invalid value/,
    );
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'n', uid: 'u', controller: true };
    assert.match(
      (await refusalOf(withMeta({ ownerReferences: [owner, { ...owner, uid: 'v' }] }))).message,
      /Only one reference can have Controller set to true/,
    );
  });
});

test('a resource without a definition and an object in a missing namespace are not found', async () => {
  await withApi([crd], async (client) => {
    const unknown = { ...widgets, plural: 'gadgets' };
    assert.equal((await refusalOf(client.list(unknown))).code, 404);
    const lost = { ...widget('a'), metadata: { name: 'a', namespace: 'nowhere' } };
    assert.equal((await refusalOf(client.create(widgets, lost))).message, 'namespaces "nowhere" not found');
    assert.equal(await client.get(secrets, 'a', 'default'), undefined);
  });
});
