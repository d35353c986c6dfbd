import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DeletionPolicy } from '../../src/api/tenant.ts';
import { settle, turn } from './metacontroller.ts';
import { tenantKey } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';
import { deleteTenant, readyWorld } from './points.ts';

/** At the address of the Instance another server answers: the one of another Instance, with a whole registry. */
function replaced({ state: { postgres } }: ModelWorld): { readonly putBack: () => void } {
  const before = structuredClone(postgres);
  postgres.view.systemIdentifier = '8';
  Object.assign(postgres, {
    registry: { schemaVersion: 1, systemIdentifier: '8' },
    ...{ rows: {}, roles: {}, databases: {} },
  });
  return { putBack: () => Object.assign(postgres, before) };
}

const readyOf = ({ state }: ModelWorld) => {
  const conditions = state.kubernetes.tenants[tenantKey]?.status?.conditions ?? [];
  const { reason, message } = conditions.find(({ type }) => type === 'Ready') ?? {
    reason: 'gone',
    message: '',
  };
  assert.doesNotMatch(message, /confirm=/);
  return reason;
};

async function turns(world: ModelWorld, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await turn(world);
}

async function leavingElsewhere(deletionPolicy: DeletionPolicy) {
  const world = await readyWorld({ deletionPolicy });
  const { putBack } = replaced(world);
  const { records } = structuredClone(world.state.openbao);
  const acts = world.acts.length;
  await turns(world, 4);
  assert.equal(readyOf(world), 'SystemIdentifierChanged');
  deleteTenant(world);
  await turns(world, 8);
  assert.equal(readyOf(world), 'SystemIdentifierChanged');
  assert.equal(world.acts.length, acts);
  return { world, putBack, records };
}

test('a Tenant under Delete waits for its own server while another one is silent about it', async () => {
  const { world, putBack, records } = await leavingElsewhere('Delete');
  world.advance(3_600);
  await turns(world, 8);
  assert.equal(readyOf(world), 'SystemIdentifierChanged');
  assert.deepEqual(world.state.openbao.records, records);
  putBack();
  await settle(world);
  assert.equal(readyOf(world), 'gone');
  assert.deepEqual([world.state.postgres.rows, world.state.postgres.databases], [{}, {}]);
});

test('a Tenant under Retain waits for its own server for 10 minutes, and the log says that its row has no mark', async () => {
  const { world, records } = await leavingElsewhere('Retain');
  assert.deepEqual(world.letGo, []);
  world.advance(3_600);
  await settle(world);
  assert.equal(readyOf(world), 'gone');
  assert.match(world.letGo.join(), /retained without a mark: another PostgreSQL server answers/);
  assert.deepEqual(world.state.openbao.records, records);
});

test('a Tenant under Retain is marked once its own server is back', async () => {
  const { world, putBack } = await leavingElsewhere('Retain');
  putBack();
  await settle(world);
  assert.equal(readyOf(world), 'gone');
  assert.deepEqual(
    Object.values(world.state.postgres.rows).map(({ state }) => state),
    ['Retained'],
  );
});
