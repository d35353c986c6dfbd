import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';

import { assertNothingLeaked } from './canaries.ts';
import { conditionOf, tokenIn } from './conditions.ts';
import { changesNothing as postsInVain, forged, post, withMetadata, withPhase, withSpec } from './forge.ts';
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

const leaving = withMetadata({ deletionTimestamp: '2026-01-01T00:00:00Z' });
const unknownUid = { uid: '00000000-0000-4000-8000-000000000000' };
const newPassword = { credentialRotation: 'forged' };

/** And nobody was dialled who is not an Instance's server. */
async function changesNothing(path: string, body: Record<string, unknown>): Promise<void> {
  await postsInVain(stage, path, body);
  assert.equal(caught, 0);
}

const forgeries: readonly { readonly title: string; readonly path: string; readonly body: () => object }[] = [
  {
    title: 'A Tenant that does not exist',
    path: '/tenants/sync',
    body: () => forged(stage, 'tenants', 'real', withMetadata({ ...unknownUid, name: 'made-up' })),
  },
  {
    title: 'A Tenant of the same name with another UID',
    path: '/tenants/sync',
    body: () => forged(stage, 'tenants', 'real', withMetadata(unknownUid)),
  },
  {
    title: 'A Tenant of the same name in another phase',
    path: '/tenants/sync',
    body: () => forged(stage, 'tenants', 'real', withPhase('Planned')),
  },
  {
    title: 'Another spec under the same generation',
    path: '/tenants/sync',
    body: () =>
      forged(stage, 'tenants', 'real', (parent) =>
        withPhase('RoleCreated')(withSpec({ connectionLimit: 1 })(parent)),
      ),
  },
  {
    title: 'An older generation that asks for a new password',
    path: '/tenants/sync',
    body: () =>
      forged(stage, 'tenants', 'real', (parent) =>
        withPhase('DatabaseCreated')(withMetadata({ generation: 0 })(withSpec(newPassword)(parent))),
      ),
  },
  {
    title: 'A deletion that nobody asked for',
    path: '/tenants/finalize',
    body: () => ({ ...forged(stage, 'tenants', 'real', leaving), finalizing: true }),
  },
  {
    title: 'A deletion of a Tenant that does not exist',
    path: '/tenants/finalize',
    body: () => ({
      ...forged(stage, 'tenants', 'real', (parent) => leaving(withMetadata(unknownUid)(parent))),
      finalizing: true,
    }),
  },
  {
    title: 'An Instance with another address',
    path: '/instances/sync',
    body: () =>
      forged(
        stage,
        'instances',
        'pg-main',
        withSpec({ hostAddress: '127.0.0.1', port: (trap.address() as AddressInfo).port }),
      ),
  },
  {
    title: 'An Instance that does not exist, with an address of its own',
    path: '/instances/sync',
    body: () =>
      forged(stage, 'instances', 'pg-main', (parent) =>
        withMetadata({ ...unknownUid, name: 'made-up' })(
          withSpec({ hostAddress: '127.0.0.1', port: (trap.address() as AddressInfo).port })(parent),
        ),
      ),
  },
  {
    title: 'A deletion of an Instance that nobody asked for',
    path: '/instances/finalize',
    body: () => ({ ...forged(stage, 'instances', 'pg-main', leaving), finalizing: true }),
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
  await changesNothing('/tenants/sync', forged(stage, 'tenants', 'lost', withMetadata({ annotations })));
});

test('What is no hook request is refused, and changes nothing', async () => {
  const before = await tracesIn(stage);
  for (const body of ['{}', '[]', 'null', '{"parent":{}}', '{"__proto__":{}}', 'no JSON']) {
    for (const path of ['/tenants/sync', '/tenants/finalize', '/instances/sync']) {
      assert.equal((await post(stage, path, body)).status, 400, `${path} ${body}`);
    }
  }
  assert.deepEqual(await tracesIn(stage), before);
  await untilReady(stage, 'real');
});

test('None of this showed a password or a token', () => assertNothingLeaked(stage));
