import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { eventually } from './eventually.ts';
import { withTrial } from './trial.ts';
import { part, parts, thing, things } from './trial-kinds.ts';

describe('faults', () => {
  it(
    'staleParent shows the hook a parent that is one write old, and ends all the same',
    withTrial(
      async ({ client, hook }) => {
        hook.answer = ({ hook: name, body }) => ({
          body: name === 'sync' ? { status: { seen: body.parent.spec?.['x'] } } : {},
        });
        await client.create(things, thing('a', { x: 1 }));
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['seen'], 1),
        );
        await sleep(200);
        const before = hook.of('sync').length;
        await client.patch(things, 'a', 'team', { spec: { x: 2 } });
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['seen'], 2),
        );
        const seen = hook
          .of('sync')
          .slice(before)
          .map(({ body }) => body.parent.spec?.['x']);
        assert.deepEqual(seen.slice(0, 2), [1, 2]);
        await sleep(200);
        const calls = hook.requests.length;
        await sleep(200);
        assert.equal(hook.requests.length, calls);
      },
      { faults: { staleParent: 1 } },
    ),
  );

  it(
    'duplicate delivers a call twice at once',
    withTrial(
      async ({ client, hook }) => {
        hook.answer = async ({ hook: name }) => {
          if (name === 'sync') await sleep(50);
          return { body: name === 'sync' ? { status: { phase: 'Done' } } : {} };
        };
        await client.create(things, thing('a'));
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['phase'], 'Done'),
        );
        assert.equal(hook.busiest, 2);
        const [first, second] = hook.of('sync');
        assert.deepEqual(first?.body, second?.body);
      },
      { faults: { duplicate: 1 } },
    ),
  );

  it(
    'dropStatusWrite loses the status after the hook and the children had their effect, then all goes on',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = ({ hook: name }) => ({
          body: name === 'sync' ? { status: { phase: 'Done' }, children: [part('one')] } : {},
        });
        await client.create(things, thing('a'));
        await eventually(() => assert.equal(metacontroller.faults.dropStatusWrite, 0));
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['phase'], 'Done'),
        );
        const blind = hook.of('sync').filter(({ body }) => body.parent.status === undefined);
        assert.ok(blind.length >= 4, `${blind.length} calls without a status`);
      },
      { faults: { dropStatusWrite: 3 } },
    ),
  );

  it(
    'dropChildWrite loses a child and the status after it, then all goes on',
    withTrial(
      async ({ client, hook, metacontroller }) => {
        hook.answer = async ({ hook: name }) => {
          if (name !== 'sync') return {};
          if (metacontroller.faults.dropChildWrite > 0) {
            assert.equal(await client.get(parts, 'one', 'team'), undefined);
            assert.equal((await client.get(things, 'a', 'team'))?.status, undefined);
          }
          return { body: { status: { phase: 'Done' }, children: [part('one')] } };
        };
        await client.create(things, thing('a'));
        await eventually(async () => assert.ok(await client.get(parts, 'one', 'team')));
        await eventually(async () =>
          assert.equal((await client.get(things, 'a', 'team'))?.status?.['phase'], 'Done'),
        );
        assert.equal(metacontroller.faults.dropChildWrite, 0);
        assert.ok(metacontroller.calls.filter((c) => c.hook === 'sync').length >= 3);
      },
      { faults: { dropChildWrite: 2 } },
    ),
  );
});
