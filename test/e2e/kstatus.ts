import { conditionsOf } from '../scenarios/conditions.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';

export type Health = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/**
 * What kstatus computes for a custom resource (sigs.k8s.io/cli-utils, pkg/kstatus/status), in its order. Flux waits by
 * it, and health checks for Argo CD are written after it. An object that says nothing at all is taken for finished.
 */
export function healthOf(object: KubeObject): Health {
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp !== undefined) return 'Terminating';
  const observed = object.status?.['observedGeneration'];
  if (observed !== undefined && observed !== generation) return 'InProgress';
  const conditions = conditionsOf(object);
  const standard = conditions.find(({ type, status }) => status === 'True' && type in standardConditions);
  if (standard !== undefined) return standardConditions[standard.type] ?? 'InProgress';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}

/** Whichever of them is listed first decides. */
const standardConditions: Readonly<Record<string, Health>> = { Reconciling: 'InProgress', Stalled: 'Failed' };
