import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

import { instanceHookRequestShape, type HookResponse, type InstanceHookRequest } from '../../src/api/hook.ts';
import { instanceStatusShape, type InstanceStatus, type PostgreSQLInstance } from '../../src/api/instance.ts';
import { finalizeInstance, syncInstance } from '../../src/reconcile/instance.ts';
import { recordStatus } from '../status-record.ts';
import type { ModelWorld } from './model-world.ts';
import { newWorld } from './points.ts';

type Response = HookResponse<InstanceStatus>;

const completeStatus = instanceStatusShape.strict();

const overTheWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const liveInstance = ({ state }: ModelWorld): PostgreSQLInstance => {
  const { main } = state.kubernetes.instances;
  assert.ok(main !== undefined, 'there is no Instance');
  return main;
};

export const changeInstance = (world: ModelWorld, change: Partial<PostgreSQLInstance>): void => {
  world.state.kubernetes.instances['main'] = { ...liveInstance(world), ...change };
};

export const deleteInstance = (world: ModelWorld): void => {
  const deletionTimestamp = new Date(world.state.now).toISOString();
  changeInstance(world, { metadata: { ...liveInstance(world).metadata, deletionTimestamp } });
};

/** A new Instance: a status that nobody wrote yet, and a server without a registry. */
export function newInstanceWorld(): ModelWorld {
  const world = newWorld();
  const main = { ...liveInstance(world), status: { observedGeneration: -1 } };
  world.state.kubernetes.instances = { main };
  world.state.kubernetes.tenants = {};
  world.state.postgres.registry = null;
  world.state.postgres.instances = {};
  return world;
}

export const instanceRequest = (parent: PostgreSQLInstance): InstanceHookRequest =>
  instanceHookRequestShape.parse({
    ...{ controller: {}, parent: overTheWire(parent), children: {}, related: {} },
    finalizing: parent.metadata.deletionTimestamp !== undefined,
  });

/** Sends one request and checks what every answer must keep to. */
export async function postInstance(world: ModelWorld, request: InstanceHookRequest): Promise<Response> {
  const calls = world.gate.calls.length;
  const hook = request.finalizing ? finalizeInstance : syncInstance;
  const answer = overTheWire(await hook(world.context, request));
  const { status, resyncAfterSeconds, finalized } = answer;
  const recorded = request.parent.status;
  assert.deepEqual(completeStatus.parse(recordStatus('PostgreSQLInstance', status)), status);
  assert.deepEqual(answer.children, []);
  assert.ok(resyncAfterSeconds === undefined || (resyncAfterSeconds > 0 && status.phase === recorded?.phase));
  const changes = !isDeepStrictEqual(
    { ...status, observedGeneration: recorded?.observedGeneration },
    recorded,
  );
  assert.ok(
    changes || resyncAfterSeconds !== undefined || finalized === true,
    'nothing brings the next call',
  );
  assert.ok(world.writesSince(calls).length <= 1, 'more than one write in one call');
  return answer;
}

/** One round with the Instance as it is now; what Metacontroller would write is written. */
export async function instanceTurn(world: ModelWorld): Promise<Response> {
  const parent = liveInstance(world);
  const answer = await postInstance(world, instanceRequest(parent));
  if (answer.finalized === true) world.state.kubernetes.instances = {};
  else changeInstance(world, { status: answer.status });
  if (isDeepStrictEqual(answer.status, parent.status)) world.advance(answer.resyncAfterSeconds ?? 0);
  return answer;
}

export const conditionOf = ({ status }: Response, type: string) =>
  status.conditions?.find((condition) => condition.type === type);
