import assert from 'node:assert/strict';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { instances, tenants } from '../world/kubernetes/resources.ts';
import type { Stage } from './stage.ts';
import { tracesIn } from './stillness.ts';

export type Forge = (parent: KubeObject) => KubeObject;

/** A request that Metacontroller really made, with another parent. */
export function forged(
  { calls }: Stage,
  kind: 'tenants' | 'instances',
  name: string,
  forge: Forge,
): Record<string, unknown> {
  const controller = `postgresql${kind.slice(0, -1)}-controller`;
  const call = calls.findLast(
    (one) => one.controller === controller && one.name === name && one.hook === 'sync',
  );
  assert.ok(call !== undefined, `no call about ${name}`);
  const request = structuredClone(call.request);
  return { ...request, parent: forge(request['parent'] as KubeObject) };
}

export const withMetadata =
  (metadata: Record<string, unknown>): Forge =>
  (parent) => ({ ...parent, metadata: { ...parent.metadata, ...metadata } });

export const withSpec =
  (spec: Record<string, unknown>): Forge =>
  (parent) => ({ ...parent, spec: { ...parent.spec, ...spec } });

export const withPhase =
  (phase: string): Forge =>
  (parent) => ({ ...parent, status: { ...parent.status, phase } });

/** Posts a body to the hook, as somebody who got at it and its token would. */
export const post = (
  { world }: Stage,
  path: string,
  body: string | Buffer,
): Promise<{ status: number; text: string }> => world.hookAccess.post(`${world.hook.url}${path}`, body);

/**
 * Posts this more than once (a step would follow on the phase that the one before it answered) and gives the last answer.
 * Nothing was written anywhere meanwhile, and every Tenant and Instance says what it said.
 */
export async function changesNothing(
  stage: Stage,
  path: string,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const before = await allOf(stage);
  let text = '';
  for (let times = 0; times < 3; times += 1) {
    const answer = await post(stage, path, JSON.stringify(body));
    assert.equal(answer.status, 200, answer.text);
    text = answer.text;
  }
  assert.deepEqual(await allOf(stage), before);
  return JSON.parse(text) as Record<string, unknown>;
}

const allOf = async (stage: Stage) => ({
  ...(await tracesIn(stage)),
  tenants: (await stage.kube.list(tenants)).items,
  instances: (await stage.kube.list(instances)).items,
});
