import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { events } from '../kubernetes/resources.ts';
import { manageChildren } from './children.ts';
import { eventually } from './eventually.ts';
import { FaultInjector } from './faults.ts';
import { lastAppliedAnnotation } from './three-way-merge.ts';
import { withTrial } from './trial.ts';
import type { HookRequest, TrialHook } from './trial-hook.ts';
import { part, parts, thing, things } from './trial-kinds.ts';

const kind = 'Part.trial.example.org/v1';

/** The hook desires these children, whatever it sees. */
const desire = (hook: TrialHook, ...children: KubeObject[]): void => {
  hook.answer = ({ hook: name }) => ({ body: name === 'customize' ? {} : { children } });
};

const partNamed = async (client: KubeClient, name: string): Promise<KubeObject> => {
  const found = await client.get(parts, name, 'team');
  assert.ok(found);
  return found;
};

const seenChildren = (request: HookRequest | undefined): string[] =>
  Object.keys(request?.body.children[kind] ?? {});

const createdParent = (client: KubeClient): Promise<KubeObject> => client.create(things, thing('a'));

const inTeam = (child: KubeObject, metadata: Record<string, unknown> = {}): KubeObject => ({
  ...child,
  metadata: { ...child.metadata, namespace: 'team', ...metadata },
});

describe('children', () => {
  it(
    'are created in the namespace of their parent, owned by it, with its label and what was applied',
    withTrial(async ({ client, hook }) => {
      desire(hook, part('one', { size: 1 }));
      const parent = await createdParent(client);
      const child = await eventually(() => partNamed(client, 'one'));
      assert.deepEqual(child.metadata.ownerReferences, [
        {
          apiVersion: 'trial.example.org/v1',
          kind: 'Thing',
          name: 'a',
          uid: parent.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      assert.deepEqual(child.metadata.labels, { 'controller-uid': parent.metadata.uid });
      const applied = JSON.parse(child.metadata.annotations?.[lastAppliedAnnotation] ?? '') as KubeObject;
      assert.deepEqual(applied.spec, { size: 1 });
      await eventually(() => assert.deepEqual(seenChildren(hook.of('sync').at(-1)), ['team/one']));
    }),
  );

  it(
    'wake their parent when somebody edits them, and are brought back',
    withTrial(async ({ client, hook }) => {
      desire(hook, part('one', { size: 1 }));
      await createdParent(client);
      await eventually(() => partNamed(client, 'one'));
      await client.patch(parts, 'one', 'team', { spec: { size: 5, colour: 'red' } });
      await eventually(async () => {
        assert.ok(
          hook.of('sync').some(({ body }) => body.children[kind]?.['team/one']?.spec?.['size'] === 5),
        );
        assert.deepEqual((await partNamed(client, 'one')).spec, { size: 1, colour: 'red' });
      });
    }),
  );

  it(
    'wake their parent with their status, which it cannot change',
    withTrial(async ({ client, hook }) => {
      desire(hook, { ...part('one', { size: 1 }), status: { ready: false } });
      await createdParent(client);
      await eventually(() => partNamed(client, 'one'));
      await client.patch(parts, 'one', 'team', { status: { ready: true } }, 'status');
      await eventually(() =>
        assert.deepEqual(hook.of('sync').at(-1)?.body.children[kind]?.['team/one']?.status, { ready: true }),
      );
      await sleep(100);
      assert.deepEqual((await partNamed(client, 'one')).status, { ready: true });
    }),
  );

  it(
    'come back when somebody deletes them',
    withTrial(async ({ client, hook }) => {
      desire(hook, part('one'));
      await createdParent(client);
      const first = await eventually(() => partNamed(client, 'one'));
      await client.delete(parts, 'one', 'team');
      await eventually(async () =>
        assert.notEqual((await partNamed(client, 'one')).metadata.uid, first.metadata.uid),
      );
    }),
  );

  it(
    'are deleted when an answer leaves them out, and are listed until they are gone',
    withTrial(async ({ client, hook }) => {
      desire(hook, part('one'), part('two'));
      await createdParent(client);
      await eventually(() => assert.equal(seenChildren(hook.of('sync').at(-1)).length, 2));
      await client.patch(parts, 'two', 'team', { metadata: { finalizers: ['trial.example.org/hold'] } });
      desire(hook, part('one'));
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(() => {
        const last = hook.of('sync').at(-1);
        assert.ok(last?.body.children[kind]?.['team/two']?.metadata.deletionTimestamp);
      });
      await client.patch(parts, 'two', 'team', { metadata: { finalizers: [] } });
      await eventually(() => assert.deepEqual(seenChildren(hook.of('sync').at(-1)), ['team/one']));
    }),
  );

  it(
    'that are not the parent’s are neither changed nor shown, and nothing fails',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        desire(hook, part('one', { size: 1 }));
        await createdParent(client);
        await eventually(() => assert.ok(hook.of('sync').length >= 2));
        await sleep(100);
        assert.deepEqual((await partNamed(client, 'one')).spec, { size: 9 });
        assert.deepEqual(seenChildren(hook.of('sync').at(-1)), []);
        assert.ok(metacontroller.calls.every(({ status }) => status === 200));
        assert.deepEqual((await client.get(things, 'a', 'team'))?.status, { observedGeneration: 1 });
        const { items } = await client.list(events, 'team');
        assert.deepEqual(
          items.filter((event) => event['reason'] === 'SyncError'),
          [],
        );
      },
      {
        before: async ({ client }) => {
          await client.create(parts, inTeam(part('one', { size: 9 })));
        },
      },
    ),
  );

  it(
    'are adopted when they are orphans with the label, and released when they lose it',
    withTrial(async ({ client, hook }) => {
      desire(hook);
      const parent = await createdParent(client);
      await eventually(() => assert.ok(hook.of('sync').length >= 2));
      desire(hook, part('one'));
      const labels = { 'controller-uid': parent.metadata.uid };
      await client.create(parts, inTeam(part('one'), { labels }));
      await eventually(async () =>
        assert.equal(
          (await partNamed(client, 'one')).metadata.ownerReferences?.[0]?.uid,
          parent.metadata.uid,
        ),
      );
      await client.patch(parts, 'one', 'team', { metadata: { labels: { 'controller-uid': null } } });
      await eventually(async () =>
        assert.deepEqual((await partNamed(client, 'one')).metadata.ownerReferences ?? [], []),
      );
      await eventually(() => assert.deepEqual(seenChildren(hook.of('sync').at(-1)), []));
    }),
  );

  it(
    'are not updated under OnDelete',
    withTrial(
      async ({ client, hook }) => {
        desire(hook, part('one', { size: 1 }));
        await createdParent(client);
        await eventually(() => partNamed(client, 'one'));
        desire(hook, part('one', { size: 2 }));
        await client.patch(things, 'a', 'team', { spec: { x: 1 } });
        await eventually(() => assert.equal(hook.of('sync').at(-1)?.body.parent.spec?.['x'], 1));
        await sleep(100);
        assert.deepEqual((await partNamed(client, 'one')).spec, { size: 1 });
      },
      { controller: { childResources: [{ apiVersion: 'trial.example.org/v1', resource: 'parts' }] } },
    ),
  );

  it(
    'with a wrong label fail the sync before anything is written',
    withTrial(async ({ client, hook, metacontroller }) => {
      const wrong = part('one');
      wrong.metadata.labels = { 'controller-uid': 'another' };
      desire(hook, wrong);
      await createdParent(client);
      await eventually(() => assert.ok(metacontroller.calls.filter((c) => c.hook === 'sync').length >= 3));
      assert.deepEqual((await client.list(parts)).items, []);
      assert.equal((await client.get(things, 'a', 'team'))?.status, undefined);
    }),
  );

  it(
    'that cannot be written do not keep the status from being written, and are tried again',
    withTrial(async ({ client, hook }) => {
      const bad = { ...part('one'), kind: 'Nothing' };
      hook.answer = ({ hook: name }) =>
        name === 'sync' ? { body: { status: { phase: 'X' }, children: [bad, part('two')] } } : {};
      await createdParent(client);
      await eventually(async () =>
        assert.equal((await client.get(things, 'a', 'team'))?.status?.['phase'], 'X'),
      );
      await eventually(() => partNamed(client, 'two'));
      await eventually(() => assert.ok(hook.of('sync').length >= 6));
    }),
  );
});

describe('a delete', () => {
  it(
    'does not hit a child that took the name meanwhile',
    withTrial(
      async ({ client }) => {
        const parent = await createdParent(client);
        const observed = await client.create(parts, inTeam(part('one')));
        await client.delete(parts, 'one', 'team');
        await client.create(parts, inTeam(part('one')));
        const options = {
          client,
          faults: new FaultInjector(),
          resourceOf: () => Promise.resolve(parts),
          methodOf: () => 'InPlace' as const,
          serverSideApply: undefined,
        };
        const managing = manageChildren(options, parent, { [kind]: { 'team/one': observed } }, {});
        await assert.rejects(managing, /can't delete Part team\/one/);
        assert.ok(await client.get(parts, 'one', 'team'));
      },
      { idle: true },
    ),
  );
});

describe('writes of children at rest', () => {
  /** Whether the child is written while the parent is synced five more times. */
  const isWrittenDuringFiveSyncs = async (client: KubeClient, hook: TrialHook): Promise<boolean> => {
    const before = await partNamed(client, 'one');
    for (let x = 1; x <= 5; x += 1) {
      await client.patch(things, 'a', 'team', { metadata: { annotations: { x: String(x) } } });
      await eventually(() =>
        assert.equal(hook.of('sync').at(-1)?.body.parent.metadata.annotations?.['x'], String(x)),
      );
    }
    return (await partNamed(client, 'one')).metadata.resourceVersion !== before.metadata.resourceVersion;
  };

  it(
    'do not happen when the hook says what it said before',
    withTrial(async ({ client, hook }) => {
      desire(hook, part('one', { sources: [{ key: 'k', mode: 'Plain' }] }));
      await createdParent(client);
      await eventually(() => assert.deepEqual(seenChildren(hook.of('sync').at(-1)), ['team/one']));
      assert.equal(await isWrittenDuringFiveSyncs(client, hook), false);
    }),
  );

  it(
    'happen at every sync when the hook leaves out what the API server fills in inside a list',
    withTrial(async ({ api, client, hook }) => {
      desire(hook, part('one', { sources: [{ key: 'k' }] }));
      await createdParent(client);
      await eventually(() => assert.deepEqual(seenChildren(hook.of('sync').at(-1)), ['team/one']));
      const before = hook.of('sync').length;
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(() => assert.ok(hook.of('sync').length > before));
      const updates = () =>
        api.audit.filter(({ verb, resource }) => verb === 'update' && resource.startsWith('parts.'));
      await eventually(() => assert.ok(updates().length >= 2));
      assert.deepEqual((await partNamed(client, 'one')).spec, { sources: [{ key: 'k', mode: 'Plain' }] });
    }),
  );
});
