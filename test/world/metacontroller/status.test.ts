import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeClient } from '../kubernetes/client.ts';
import { eventually } from './eventually.ts';
import { withTrial } from './trial.ts';
import { thing, things } from './trial-kinds.ts';

const statusOf = async (client: KubeClient): Promise<unknown> =>
  (await client.get(things, 'a', 'team'))?.status;

describe('the status', () => {
  it(
    'is replaced as a whole, with the generation that the hook saw',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name, body }) => {
        if (name === 'customize') return {};
        const old = body.parent.metadata.generation === 1;
        return { body: { status: old ? { phase: 'One', extra: 1 } : { phase: 'Two' } } };
      };
      await client.create(things, thing('a'));
      await eventually(async () =>
        assert.deepEqual(await statusOf(client), { phase: 'One', extra: 1, observedGeneration: 1 }),
      );
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(async () =>
        assert.deepEqual(await statusOf(client), { phase: 'Two', observedGeneration: 2 }),
      );
    }),
  );

  it(
    'is wiped by an answer that leaves it out',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name, body }) =>
        name === 'sync' && body.parent.metadata.generation === 1
          ? { body: { status: { phase: 'One' } } }
          : {};
      await client.create(things, thing('a'));
      await eventually(async () =>
        assert.deepEqual(await statusOf(client), { phase: 'One', observedGeneration: 1 }),
      );
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(async () => assert.deepEqual(await statusOf(client), { observedGeneration: 2 }));
    }),
  );

  it(
    'brings the next call at once when it changes, and no further one when it does not',
    withTrial(async ({ api, client, hook }) => {
      const phases = ['One', 'Two', 'Three'];
      hook.answer = ({ hook: name, body }) => {
        const next = phases.indexOf(String(body.parent.status?.['phase'])) + 1;
        return name === 'sync' ? { body: { status: { phase: phases[next] ?? 'Three' } } } : {};
      };
      await client.create(things, thing('a'));
      await eventually(async () =>
        assert.deepEqual(await statusOf(client), { phase: 'Three', observedGeneration: 1 }),
      );
      await sleep(300);
      const version = (await client.get(things, 'a', 'team'))?.metadata.resourceVersion;
      const calls = hook.requests.length;
      await sleep(300);
      assert.equal(hook.requests.length, calls);
      assert.equal((await client.get(things, 'a', 'team'))?.metadata.resourceVersion, version);
      assert.ok(hook.of('sync').length <= 6, `${hook.of('sync').length} calls`);
      const writes = api.audit.filter(({ subresource }) => subresource === 'status').length;
      await client.patch(things, 'a', 'team', { metadata: { annotations: { x: 'y' } } });
      await eventually(() => assert.ok(hook.requests.length > calls));
      await sleep(100);
      assert.equal(api.audit.filter(({ subresource }) => subresource === 'status').length, writes);
    }),
  );
});

describe('the times of calls', () => {
  it(
    'follow resyncAfterSeconds, once',
    withTrial(async ({ client, hook, metacontroller }) => {
      hook.answer = ({ hook: name, body }) => {
        const first = name === 'sync' && body.parent.status !== undefined && resyncs < 1;
        if (first) resyncs += 1;
        return { body: first ? { resyncAfterSeconds: 0.5 } : {} };
      };
      let resyncs = 0;
      await client.create(things, thing('a'));
      await eventually(() => assert.equal(resyncs, 1));
      const before = hook.of('sync').length;
      await eventually(() => assert.equal(hook.of('sync').length, before + 1));
      await sleep(600);
      assert.equal(hook.of('sync').length, before + 1);
      const [asked, next] = metacontroller.calls.filter((call) => call.hook === 'sync').slice(-2);
      assert.ok(asked && next && next.startedAt - asked.startedAt >= 500);
    }),
  );

  it(
    'follow resyncPeriodSeconds',
    withTrial(
      async ({ client, hook }) => {
        await client.create(things, thing('a'));
        await eventually(() => assert.ok(hook.of('sync').length >= 2));
        await sleep(200);
        const before = hook.of('sync').length;
        await eventually(() => assert.ok(hook.of('sync').length >= before + 2));
      },
      { controller: { resyncPeriodSeconds: 1 } },
    ),
  );
});
