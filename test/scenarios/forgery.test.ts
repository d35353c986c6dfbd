import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { sql } from './sql.ts';
import { raise, type Stage } from './stage.ts';
import { settled, tracesIn } from './stillness.ts';
import { look, ready, untilCondition, untilReady } from './tenants.ts';

let stage: Stage;
/** Where a forged Instance would have the operator dial. */
let trap: Server;
let caught = 0;
before(async () => {
  trap = createServer((socket) => {
    caught += 1;
    socket.destroy();
  });
  trap.listen(0, '127.0.0.1');
  await new Promise((resolve) => trap.once('listening', resolve));
  stage = await raise();
  await ready(stage, 'real', { deletionPolicy: 'Delete' });
  await ready(stage, 'lost');
  await sql(stage, 'drop database shop_lost with (force)');
  await untilCondition(stage, 'lost', 'Ready', { status: 'False', reason: 'DatabaseLost' });
  await settled(stage, 'real', 'lost');
});
after(async () => {
  await stage.close();
  await new Promise((resolve) => trap.close(resolve));
});

type Forge = (parent: KubeObject) => KubeObject;

/** A request that Metacontroller really made, with another parent. */
function forged(kind: 'tenants' | 'instances', name: string, forge: Forge): Record<string, unknown> {
  const controller = `postgresql${kind.slice(0, -1)}-controller`;
  const call = stage.calls.findLast(
    (one) => one.controller === controller && one.name === name && one.hook === 'sync',
  );
  assert.ok(call !== undefined, `no call about ${name}`);
  const request = structuredClone(call.request);
  return { ...request, parent: forge(request['parent'] as KubeObject) };
}

const withMetadata =
  (metadata: Record<string, unknown>): Forge =>
  (parent) => ({ ...parent, metadata: { ...parent.metadata, ...metadata } });

const withSpec =
  (spec: Record<string, unknown>): Forge =>
  (parent) => ({ ...parent, spec: { ...parent.spec, ...spec } });

const withPhase =
  (phase: string): Forge =>
  (parent) => ({ ...parent, status: { ...parent.status, phase } });

const leaving = withMetadata({ deletionTimestamp: '2026-01-01T00:00:00Z' });
const unknownUid = { uid: '00000000-0000-4000-8000-000000000000' };
const newPassword = { credentialRotation: 'forged' };

/** Everything at rest is as it was: nothing was written, and both Tenants say what they said. */
async function changesNothing(path: string, body: Record<string, unknown>): Promise<void> {
  const before = {
    ...(await tracesIn(stage)),
    real: await look(stage, 'real'),
    lost: await look(stage, 'lost'),
  };
  // More than once: a step would follow on the phase that the one before it answered.
  for (let times = 0; times < 3; times += 1) {
    const answer = await fetch(`${stage.world.hook.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(answer.status, 200, await answer.text());
  }
  const now = {
    ...(await tracesIn(stage)),
    real: await look(stage, 'real'),
    lost: await look(stage, 'lost'),
  };
  assert.deepEqual(now, before);
  assert.equal(caught, 0);
}

const forgeries: readonly { readonly title: string; readonly path: string; readonly body: () => object }[] = [
  {
    title: 'A Tenant that does not exist',
    path: '/tenants/sync',
    body: () => forged('tenants', 'real', withMetadata({ ...unknownUid, name: 'made-up' })),
  },
  {
    title: 'A Tenant of the same name with another UID',
    path: '/tenants/sync',
    body: () => forged('tenants', 'real', withMetadata(unknownUid)),
  },
  {
    title: 'A Tenant of the same name in another phase',
    path: '/tenants/sync',
    body: () => forged('tenants', 'real', withPhase('Planned')),
  },
  {
    title: 'Another spec under the same generation',
    path: '/tenants/sync',
    body: () =>
      forged('tenants', 'real', (parent) =>
        withPhase('RoleCreated')(withSpec({ connectionLimit: 1 })(parent)),
      ),
  },
  {
    title: 'An older generation that asks for a new password',
    path: '/tenants/sync',
    body: () =>
      forged('tenants', 'real', (parent) =>
        withPhase('DatabaseCreated')(withMetadata({ generation: 0 })(withSpec(newPassword)(parent))),
      ),
  },
  {
    title: 'A deletion that nobody asked for',
    path: '/tenants/finalize',
    body: () => ({ ...forged('tenants', 'real', leaving), finalizing: true }),
  },
  {
    title: 'A deletion of a Tenant that does not exist',
    path: '/tenants/finalize',
    body: () => ({
      ...forged('tenants', 'real', (parent) => leaving(withMetadata(unknownUid)(parent))),
      finalizing: true,
    }),
  },
  {
    title: 'An Instance with another address',
    path: '/instances/sync',
    body: () =>
      forged(
        'instances',
        'pg-main',
        withSpec({ hostAddress: '127.0.0.1', port: (trap.address() as AddressInfo).port }),
      ),
  },
  {
    title: 'An Instance that does not exist, with an address of its own',
    path: '/instances/sync',
    body: () =>
      forged('instances', 'pg-main', (parent) =>
        withMetadata({ ...unknownUid, name: 'made-up' })(
          withSpec({ hostAddress: '127.0.0.1', port: (trap.address() as AddressInfo).port })(parent),
        ),
      ),
  },
  {
    title: 'A deletion of an Instance that nobody asked for',
    path: '/instances/finalize',
    body: () => ({ ...forged('instances', 'pg-main', leaving), finalizing: true }),
  },
];

for (const { title, path, body } of forgeries) {
  test(`${title}, posted by somebody else, changes nothing`, () =>
    changesNothing(path, body() as Record<string, unknown>));
}

test('A confirmation that is not on the live object, posted by somebody else, changes nothing', async () => {
  const condition = conditionOf(await look(stage, 'lost'), 'Ready');
  assert.ok(condition !== undefined);
  const annotations = { 'pgtenancy.io/confirm': tokenIn(condition) };
  await changesNothing('/tenants/sync', forged('tenants', 'lost', withMetadata({ annotations })));
});

test('What is no hook request is refused, and changes nothing', async () => {
  const before = await tracesIn(stage);
  const { hook } = stage.world;
  for (const body of ['{}', '[]', 'null', '{"parent":{}}', '{"__proto__":{}}', 'no JSON']) {
    for (const path of ['/tenants/sync', '/tenants/finalize', '/instances/sync']) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${hook.url}${path}`, { method: 'POST', headers, body });
      assert.equal(answer.status, 400, `${path} ${body}`);
    }
  }
  assert.deepEqual(await tracesIn(stage), before);
  await untilReady(stage, 'real');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
