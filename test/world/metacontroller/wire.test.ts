import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { eventually } from './eventually.ts';
import { withTrial } from './trial.ts';
import { part, parts, pool, pools, thing, things } from './trial-kinds.ts';

const poolRule = (...names: string[]) => ({
  body: { relatedResources: [{ apiVersion: 'trial.example.org/v1', resource: 'pools', names }] },
});

describe('requests to hooks', () => {
  it(
    'have exactly the fields, keys and headers of the real ones',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name }) =>
        name === 'customize' ? poolRule('main') : { body: { status: {}, children: [part('one')] } };
      await client.create(things, thing('a', { colour: 'red' }));
      const sync = await eventually(() => {
        const withChild = hook
          .of('sync')
          .find(({ body }) => 'team/one' in (body.children['Part.trial.example.org/v1'] ?? {}));
        assert.ok(withChild);
        return withChild;
      });
      assert.deepEqual(Object.keys(sync.body).sort(), [
        'children',
        'controller',
        'finalizing',
        'parent',
        'related',
      ]);
      assert.equal(sync.body.controller.metadata.name, 'thing-controller');
      assert.equal(sync.body.parent.kind, 'Thing');
      assert.deepEqual(sync.body.parent.spec, { colour: 'red' });
      assert.equal(sync.body.finalizing, false);
      assert.equal(sync.method, 'POST');
      assert.equal(sync.headers['user-agent'], 'Go-http-client/1.1');
      assert.equal(sync.headers['content-type'], 'application/json');
      assert.equal(sync.headers.accept, undefined);
      const [customize] = hook.of('customize');
      assert.deepEqual(Object.keys(customize?.body ?? {}).sort(), ['controller', 'parent']);
    }),
  );

  it(
    'have an empty entry for each kind of child and each related rule, and no status at first',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name }) => (name === 'customize' ? poolRule('nowhere') : {});
      await client.create(things, thing('a'));
      const [first] = await eventually(() => {
        assert.ok(hook.of('sync').length > 0);
        return hook.of('sync');
      });
      assert.deepEqual(first?.body.children, { 'Part.trial.example.org/v1': {} });
      assert.deepEqual(first.body.related, { 'Pool.trial.example.org/v1': {} });
      assert.equal('status' in first.body.parent, false);
    }),
  );

  it(
    'travel over connections that are kept open',
    withTrial(async ({ client, hook }) => {
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').length > 0));
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(() => assert.ok(hook.of('sync').some(({ body }) => body.parent.spec?.['x'] === 1)));
      const ports = new Set(hook.of('sync').map(({ clientPort }) => clientPort));
      assert.equal(ports.size, 1);
    }),
  );
});

describe('related objects', () => {
  it(
    'are those that the rules name, by their bare names when cluster-scoped',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name }) => (name === 'customize' ? poolRule('main') : {});
      await client.create(pools, pool('main'));
      await client.create(pools, pool('other'));
      await client.create(things, thing('a'));
      await eventually(() => {
        const related = hook.of('sync').at(-1)?.body.related['Pool.trial.example.org/v1'];
        assert.deepEqual(Object.keys(related ?? {}), ['main']);
      });
    }),
  );

  it(
    'wake the parents that they are related to, and only those, each time they change',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name, body }) =>
        name === 'customize' ? poolRule(String(body.parent.spec?.['pool'])) : {};
      await client.create(things, thing('a', { pool: 'main' }));
      await client.create(things, thing('b', { pool: 'other' }));
      await eventually(() =>
        assert.equal(new Set(hook.of('sync').map((r) => r.body.parent.metadata.name)).size, 2),
      );
      const seen = (name: string) => hook.of('sync').filter(({ body }) => body.parent.metadata.name === name);
      await client.create(pools, pool('main'));
      await eventually(() =>
        assert.ok(seen('a').at(-1)?.body.related['Pool.trial.example.org/v1']?.['main']),
      );
      const before = seen('b').length;
      await client.patch(pools, 'main', undefined, { status: { ready: true } }, 'status');
      await eventually(() =>
        assert.deepEqual(seen('a').at(-1)?.body.related['Pool.trial.example.org/v1']?.['main']?.status, {
          ready: true,
        }),
      );
      await client.delete(pools, 'main');
      await eventually(() =>
        assert.deepEqual(seen('a').at(-1)?.body.related, { 'Pool.trial.example.org/v1': {} }),
      );
      assert.equal(seen('b').length, before);
    }),
  );

  it(
    'are asked for once for each generation of the parent',
    withTrial(async ({ client, hook }) => {
      hook.answer = ({ hook: name }) =>
        name === 'customize' ? poolRule('main') : { body: { status: { n: 1 } } };
      await client.create(things, thing('a'));
      await eventually(() => assert.ok(hook.of('sync').length >= 2));
      await client.patch(things, 'a', 'team', { metadata: { labels: { x: 'y' } } });
      await eventually(() => assert.ok(hook.of('sync').at(-1)?.body.parent.metadata.labels));
      assert.equal(hook.of('customize').length, 1);
      await client.patch(things, 'a', 'team', { spec: { x: 1 } });
      await eventually(() => assert.equal(hook.of('customize').length, 2));
    }),
  );

  it(
    'that cannot be asked for keep the sync hook from being called',
    withTrial(async ({ client, hook, metacontroller }) => {
      hook.answer = ({ hook: name }) => (name === 'customize' ? { status: 500 } : {});
      await client.create(things, thing('a'));
      await eventually(() =>
        assert.ok(metacontroller.calls.filter((c) => c.hook === 'customize').length >= 3),
      );
      assert.deepEqual(hook.of('sync'), []);
    }),
  );
});

describe('the record of calls', () => {
  it(
    'says who was called with what, and what the answer was',
    withTrial(async ({ client, hook, metacontroller }) => {
      hook.answer = ({ hook: name }) => (name === 'customize' ? {} : { body: { status: { phase: 'New' } } });
      await client.create(things, thing('a'));
      const call = await eventually(() => {
        const found = metacontroller.calls.find((c) => c.hook === 'sync');
        assert.ok(found);
        return found;
      });
      assert.equal(call.controller, 'thing-controller');
      assert.equal(call.namespace, 'team');
      assert.equal(call.name, 'a');
      assert.equal(call.status, 200);
      assert.deepEqual(call.response, { status: { phase: 'New' } });
      assert.deepEqual(call.request['parent'], hook.of('sync')[0]?.body.parent);
      assert.ok(call.durationMs >= 0);
      assert.deepEqual(await client.list(parts, 'team').then(({ items }) => items), []);
    }),
  );
});
