import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { KubernetesApi } from '../kubernetes/api.ts';
import { startKubernetesApi } from '../kubernetes/api.ts';
import { KubeClient } from '../kubernetes/client.ts';
import { compositeControllers, crds, events } from '../kubernetes/resources.ts';
import { eventually } from './eventually.ts';
import { startMetacontroller } from './metacontroller.ts';
import { startTrialHook } from './trial-hook.ts';
import { prepare, withTrial } from './trial.ts';
import { part, parts, thing, thingController, things } from './trial-kinds.ts';

describe('CompositeControllers', () => {
  it(
    'are started when they come, and their parents synced that were there before',
    withTrial(
      async ({ client, hook }) => {
        await sleep(200);
        assert.deepEqual(hook.requests, []);
        await client.create(compositeControllers, thingController(hook.url));
        await eventually(() => assert.ok(hook.of('sync').length > 0));
      },
      {
        before: async ({ client }) => {
          await client.delete(compositeControllers, 'thing-controller');
          await client.create(things, thing('a'));
        },
      },
    ),
  );

  it(
    'are started anew when their spec changes, and abort the calls that are under way',
    withTrial(async ({ client, hook, metacontroller }) => {
      hook.answer = async ({ hook: name }) => {
        if (name === 'sync' && hook.of('sync').length === 1) await sleep(3_000, undefined, { ref: false });
        return {};
      };
      await client.create(things, thing('a'));
      await eventually(() => assert.equal(hook.of('sync').length, 1));
      await client.patch(compositeControllers, 'thing-controller', undefined, {
        spec: { resyncPeriodSeconds: 77 },
      });
      await eventually(() => {
        const { controller } = hook.of('sync').at(-1)?.body ?? {};
        assert.equal(controller?.spec?.['resyncPeriodSeconds'], 77);
      });
      assert.ok(metacontroller.calls.some((c) => c.hook === 'sync' && c.status === undefined));
    }),
  );

  it(
    'are stopped when they go; finalizers stay where they are',
    withTrial(async ({ client, hook }) => {
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').length > 0));
      await client.delete(compositeControllers, 'thing-controller');
      await sleep(300);
      const calls = hook.requests.length;
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await sleep(300);
      assert.equal(hook.requests.length, calls);
      const finalizers = (await client.get(things, 'a', 'team'))?.metadata.finalizers;
      assert.deepEqual(finalizers, ['metacontroller.io/compositecontroller-thing-controller']);
    }),
  );

  it(
    'whose kind of child does not exist are not started until it does',
    withTrial(
      async ({ client, hook }) => {
        await client.create(things, thing('a'));
        await eventually(async () => {
          const { items } = await client.list(events, 'default');
          assert.ok(items.some((event) => event['reason'] === 'CreateError'));
        });
        assert.deepEqual(hook.requests, []);
        const { spec } = (await client.get(crds, 'parts.trial.example.org')) ?? {};
        const names = { kind: 'Late', plural: 'lates', singular: 'late', listKind: 'LateList' };
        await client.create(crds, {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'lates.trial.example.org' },
          spec: { ...spec, names },
        });
        await eventually(() => assert.ok(hook.of('sync').length > 0));
      },
      { controller: { childResources: [{ apiVersion: 'trial.example.org/v1', resource: 'lates' }] } },
    ),
  );
});

describe('an API server that goes away', () => {
  it(
    'is waited for, and what changed meanwhile is caught up with',
    withTrial(async ({ api, client, hook }) => {
      hook.answer = ({ hook: name }) => ({ body: name === 'sync' ? { children: [part('one')] } : {} });
      await client.create(things, thing('a'));
      await eventually(async () => assert.ok(await client.get(parts, 'one', 'team')));
      api.faults.down = true;
      await sleep(300);
      api.faults.down = false;
      await client.create(things, thing('b'));
      await client.delete(parts, 'one', 'team');
      await eventually(() => assert.ok(hook.of('sync').some((r) => r.body.parent.metadata.name === 'b')));
      await eventually(async () => assert.ok(await client.get(parts, 'one', 'team')));
    }),
  );

  it(
    'does not hold up the end for long',
    withTrial(
      async ({ api, client, hook, metacontroller }) => {
        await client.create(things, thing('a'));
        await eventually(() => assert.ok(hook.of('sync').length > 0));
        api.faults.delayMs = 20_000;
        const began = Date.now();
        await metacontroller.stop();
        assert.ok(Date.now() - began < 10_000);
      },
      { stopsItself: true },
    ),
  );

  it('may come back empty: what is put into it then is looked after', async () => {
    const hook = await startTrialHook();
    let api: KubernetesApi = await startKubernetesApi();
    const metacontroller = await startMetacontroller({ api, maxBackoffMs: 200 });
    try {
      await prepare(new KubeClient(api), hook);
      await new KubeClient(api).create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').length > 0));
      const port = Number(new URL(api.url).port);
      await api.close();
      api = await startKubernetesApi({ port });
      await prepare(new KubeClient(api), hook);
      await new KubeClient(api).create(things, thing('b'));
      await eventually(() => assert.ok(hook.of('sync').some((r) => r.body.parent.metadata.name === 'b')));
    } finally {
      await metacontroller.stop();
      await hook.stop();
      await api.close();
    }
  });
});
