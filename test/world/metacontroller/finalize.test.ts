import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { eventually } from './eventually.ts';
import { withTrial } from './trial.ts';
import { part, parts, thing, things } from './trial-kinds.ts';

const ours = 'metacontroller.io/compositecontroller-thing-controller';
const theirs = 'trial.example.org/hold';
const kind = 'Part.trial.example.org/v1';

describe('the finalizer', () => {
  it(
    'is on the parent before the first hook call',
    withTrial(async ({ client, hook }) => {
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.requests.length > 0));
      for (const { body } of hook.requests) assert.deepEqual(body.parent.metadata.finalizers, [ours]);
    }),
  );

  it(
    'is not there without a finalize hook, and then sync is called while another finalizer holds the parent',
    withTrial(
      async ({ client, hook }) => {
        const held = thing('a');
        held.metadata.finalizers = [theirs];
        await client.create(things, held);
        await eventually(() => assert.ok(hook.of('sync').length > 0));
        await client.delete(things, 'a', 'team');
        await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.parent.metadata.deletionTimestamp));
        assert.equal(hook.of('sync').at(-1)?.body.finalizing, false);
        assert.deepEqual((await client.get(things, 'a', 'team'))?.metadata.finalizers, [theirs]);
      },
      {
        before: async ({ hook, client }) => {
          const controllers = {
            group: 'metacontroller.k8s.io',
            version: 'v1alpha1',
            plural: 'compositecontrollers',
          };
          await client.patch(controllers, 'thing-controller', undefined, {
            spec: { hooks: { finalize: null, customize: null } },
          });
          hook.answer = () => ({});
        },
      },
    ),
  );
});

describe('deletion', () => {
  it(
    'calls finalize in place of sync until it says finalized, and the parent goes',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name, body }) => {
        if (name === 'customize') return {};
        if (name === 'sync') return { body: { status: { phase: 'Up' }, children: [part('one')] } };
        const empty = Object.keys(body.children[kind] ?? {}).length === 0;
        return { body: { status: { phase: 'Down' }, children: [], finalized: empty } };
      };
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.children[kind]?.['team/one']));
      await client.delete(things, 'a', 'team');
      await eventually(async () => assert.equal(await client.get(things, 'a', 'team'), undefined));
      assert.equal(await client.get(parts, 'one', 'team'), undefined);
      const [first] = hook.of('finalize');
      assert.equal(first?.body.finalizing, true);
      assert.ok(first.body.parent.metadata.deletionTimestamp);
      assert.equal(first.body.parent.metadata.generation, 2);
      const syncsAfter = hook.requests.slice(hook.requests.indexOf(first)).filter((r) => r.hook === 'sync');
      assert.deepEqual(syncsAfter, []);
    }),
  );

  it(
    'takes the finalizer away before it would touch the children',
    withTrial(async ({ client, hook }) => {
      const held = thing('a');
      held.metadata.finalizers = [theirs];
      hook.answer = ({ hook: name }) => {
        if (name === 'customize') return {};
        return { body: name === 'sync' ? { children: [part('one')] } : { children: [], finalized: true } };
      };
      await client.create(things, held);
      await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.children[kind]?.['team/one']));
      await client.delete(things, 'a', 'team');
      await eventually(async () =>
        assert.deepEqual((await client.get(things, 'a', 'team'))?.metadata.finalizers, [theirs]),
      );
      await sleep(100);
      assert.ok(await client.get(parts, 'one', 'team'));
    }),
  );

  it(
    'calls finalize again after finalized while another finalizer holds the parent',
    withTrial(async ({ client, hook }) => {
      const held = thing('a');
      held.metadata.finalizers = [theirs];
      hook.answer = ({ hook: name }) => ({ body: name === 'finalize' ? { finalized: true } : {} });
      await client.create(things, held);
      await eventually(() => assert.ok(hook.of('sync').length > 0));
      await client.delete(things, 'a', 'team');
      await eventually(() =>
        assert.deepEqual(hook.of('finalize').at(-1)?.body.parent.metadata.finalizers, [theirs]),
      );
      const before = hook.of('finalize').length;
      await client.patch(things, 'a', 'team', { metadata: { labels: { x: 'y' } } });
      await eventually(() => assert.ok(hook.of('finalize').length > before));
    }),
  );

  it(
    'calls finalize while the garbage collector deletes in the foreground, but leaves the children to it',
    withTrial(async ({ api, client, hook }) => {
      hook.answer = ({ hook: name }) => ({
        body: name === 'customize' ? {} : { children: name === 'sync' ? [part('one')] : [part('two')] },
      });
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.children[kind]?.['team/one']));
      // The collector waits for this child, and so for as long keeps its finalizer on the parent.
      await client.patch(parts, 'one', 'team', { metadata: { finalizers: [theirs] } });
      await client.delete(things, 'a', 'team', { propagation: 'Foreground' });
      await eventually(() =>
        assert.ok(hook.of('finalize').at(-1)?.body.children[kind]?.['team/one']?.metadata.deletionTimestamp),
      );
      await sleep(100);
      const { finalizers } = hook.of('finalize').at(-1)?.body.parent.metadata ?? {};
      assert.deepEqual(finalizers?.toSorted(), ['foregroundDeletion', ours]);
      const creates = api.audit.filter(({ verb, name }) => verb === 'create' && name === 'two');
      assert.deepEqual(creates, []);
    }),
  );

  it(
    'that began before the controller saw the parent puts no finalizer on it',
    withTrial(
      async ({ client, hook }) => {
        await eventually(() => assert.ok(hook.of('finalize').length > 0));
        assert.deepEqual(hook.of('finalize')[0]?.body.parent.metadata.finalizers, [theirs]);
        assert.deepEqual(hook.of('sync'), []);
        assert.deepEqual((await client.get(things, 'a', 'team'))?.metadata.finalizers, [theirs]);
      },
      {
        before: async ({ client }) => {
          const held = thing('a');
          held.metadata.finalizers = [theirs];
          await client.create(things, held);
          await client.delete(things, 'a', 'team');
        },
      },
    ),
  );
});

describe('a label selector on the parent', () => {
  it(
    'that no longer matches brings finalize without a deletion',
    withTrial(
      async ({ client, hook }) => {
        hook.answer = () => ({});
        const labelled = thing('a');
        labelled.metadata.labels = { managed: 'yes' };
        await client.create(things, labelled);
        await client.create(things, thing('b'));
        await eventually(() => assert.ok(hook.of('sync').length > 0));
        await client.patch(things, 'a', 'team', { metadata: { labels: { managed: 'no' } } });
        await eventually(() => assert.ok(hook.of('finalize').length > 0));
        assert.equal(hook.of('finalize')[0]?.body.parent.metadata.deletionTimestamp, undefined);
        assert.equal(hook.of('finalize')[0]?.body.finalizing, true);
        assert.ok(hook.requests.every(({ body }) => body.parent.metadata.name === 'a'));
      },
      {
        controller: {
          parentResource: {
            apiVersion: 'trial.example.org/v1',
            resource: 'things',
            labelSelector: { matchLabels: { managed: 'yes' } },
          },
        },
      },
    ),
  );
});
