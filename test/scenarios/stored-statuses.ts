import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import type { Stage } from './stage.ts';

/**
 * Every status that was ever stored is one that the hook answered for that object: nothing was cut off from it and
 * nothing added on the way, and none was refused. Metacontroller does not tell of either.
 */
export function assertStoredAsAnswered({
  world,
  recorder,
  calls,
}: Pick<Stage, 'world' | 'recorder' | 'calls'>): void {
  const answered = new Set(calls.flatMap(answerOf));
  const stored = [tenants, instances].flatMap((resource) => recorder.versions(resource)).filter(hasStatus);
  assert.ok(stored.length > 0, 'no status was stored at all');
  const others = stored.filter((object) => !answered.has(keyOf(object, object.status)));
  assert.deepEqual(
    others.map(({ kind, metadata, status }) => [kind, metadata.name, status]),
    [],
    'stored, but never answered',
  );
  const refused = world.api.audit.filter(
    ({ resource, subresource, code }) =>
      resource.endsWith('.pgtenancy.io') && subresource === 'status' && code === 422,
  );
  assert.deepEqual(refused, [], 'a status was refused');
}

/** What the API server gives to an object that has no status yet is nobody's answer. */
const hasStatus = ({ status }: KubeObject): boolean =>
  status !== undefined && !isDeepStrictEqual(status, { observedGeneration: -1 });

function answerOf({ hook, status, request, response }: HookCall): string[] {
  if (hook === 'customize' || status !== 200) return [];
  return [keyOf(request['parent'] as KubeObject, (response as Pick<KubeObject, 'status'>).status)];
}

/** Whose it is, and what it says; `observedGeneration` is written by Metacontroller. The API server sorts the keys. */
const keyOf = ({ metadata }: KubeObject, status: KubeObject['status']): string =>
  `${metadata.uid ?? ''} ${JSON.stringify({ ...status, observedGeneration: undefined }, inOrder)}`;

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
