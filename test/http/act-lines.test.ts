import assert from 'node:assert/strict';
import { test } from 'node:test';

import { actLog } from '../../src/log/act-log.ts';
import { Trouble } from '../../src/errors.ts';
import { hookRoutes } from '../../src/http/routes.ts';
import { createLogger } from '../../src/log/logger.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { observed } from '../../src/process/observed.ts';
import { keptLog } from '../log/kept-log.ts';
import { always } from '../reconcile/gate.ts';
import { instanceRequest, liveInstance } from '../reconcile/instance-turns.ts';
import { requestOf, turn } from '../reconcile/metacontroller.ts';
import { ModelWorld } from '../reconcile/model-world.ts';
import { newWorld, readyWorld } from '../reconcile/points.ts';
import { trialApp } from './trial-app.ts';

/** The hook on a model world with the log and the metrics that the process has, at the level that writes most. */
function hookOn(world: ModelWorld) {
  const kept = keptLog();
  const logger = createLogger('trace', kept);
  const metrics = createMetrics();
  const ports = observed(world.context, metrics, logger);
  const { post, log } = trialApp({
    world,
    routes: hookRoutes((id) => ({ ...world.context, ...ports, log: actLog(logger, metrics, id) })),
  });
  const sync = async () => {
    const answer = await post('/tenants/sync', requestOf(world));
    assert.equal(answer.statusCode, 200);
    return answer;
  };
  return { post, sync, metrics, lines: () => [...kept.lines(), ...(log() === '' ? [] : [{ app: log() }])] };
}

test('the line of an act names the Tenant, its Instance, the recorded phase and the request', async () => {
  const world = newWorld();
  await turn(world);
  const { sync, lines } = hookOn(world);
  const { headers } = await sync();
  const [{ time, milliseconds, ...line } = {}, ...more] = lines() as Record<string, unknown>[];
  assert.deepEqual([typeof time, typeof milliseconds, more], ['string', 'number', []]);
  const { metadata, spec } = requestOf(world).parent;
  assert.deepEqual(line, {
    level: 'info',
    subject: `${metadata.namespace}/${metadata.name}`,
    uid: metadata.uid,
    instance: spec.instanceRef.name,
    phase: 'Planned',
    step: 'ClaimNames',
    outcome: 'ok',
    requestId: headers['x-request-id'],
    msg: 'step taken',
  });
});

test('a repair says what it puts right', async () => {
  const world = await readyWorld();
  const [role] = Object.values(world.state.postgres.roles);
  assert.ok(role !== undefined);
  Object.assign(role, { createDb: true, connectionLimit: 3 });
  await turn(world);
  const { sync, lines } = hookOn(world);
  await sync();
  const [{ step, outcome, detail } = {}] = lines() as Record<string, unknown>[];
  assert.deepEqual(
    [step, outcome, detail],
    ['RepairRole', 'ok', 'repairing role "shop_orders": createDb, connectionLimit'],
  );
});

test('an act that failed says why', async () => {
  const world = newWorld();
  await turn(world);
  const error = new Trouble('PermissionDenied', 'permission denied for schema pgtenancy');
  world.gate.faults = always(/^tenants\.claim/, { kind: 'fails', error });
  const { sync, lines } = hookOn(world);
  await sync();
  const [{ level, outcome, detail } = {}] = lines() as Record<string, unknown>[];
  assert.deepEqual([level, outcome, detail], ['warn', error.reason, error.message]);
});

test('syncs of a Ready Tenant and of a Ready Instance write nothing', async () => {
  const world = await readyWorld();
  const { sync, post, lines } = hookOn(world);
  for (let round = 0; round < 20; round += 1) {
    await sync();
    const answer = await post('/instances/sync', instanceRequest(liveInstance(world)));
    assert.equal(answer.statusCode, 200);
    world.advance(300);
  }
  assert.deepEqual(lines(), []);
});

const waiting: [sentence: string, begin: () => ModelWorld][] = [
  [
    'for an Instance that does not exist',
    () => {
      const world = newWorld();
      world.state.kubernetes.instances = {};
      return world;
    },
  ],
  [
    'for External Secrets',
    () => {
      const world = newWorld();
      world.externalSecretsRuns = false;
      return world;
    },
  ],
  ['for a name that is not reserved', () => newWorld({ databaseName: 'postgres' })],
];

for (const [sentence, begin] of waiting) {
  test(`syncs of a Tenant that waits ${sentence} write nothing`, async () => {
    const world = begin();
    for (let round = 0; round < 30; round += 1) await turn(world);
    assert.notEqual(requestOf(world).parent.status?.phase, 'Ready');
    const { sync, lines } = hookOn(world);
    for (let round = 0; round < 20; round += 1) {
      await sync();
      world.advance(60);
    }
    assert.deepEqual(lines(), []);
  });
}

test('a server that is gone for many syncs is worth one line', async () => {
  const world = await readyWorld();
  const error = new Trouble('InstanceUnreachable', 'cannot connect to PostgreSQL');
  world.gate.faults = always(/^observe\./, { kind: 'fails', error });
  const { sync, lines } = hookOn(world);
  for (let round = 0; round < 20; round += 1) await sync();
  assert.deepEqual(
    lines().map((line) => ({ ...line, time: undefined })),
    [
      {
        time: undefined,
        level: 'warn',
        backend: 'PostgreSQL',
        instance: 'main',
        reason: error.reason,
        detail: error.message,
        msg: 'backend unreachable',
      },
    ],
  );
});
