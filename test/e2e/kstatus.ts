import type { Condition } from '../../src/api/conditions.ts';
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
  const says = (type: string): Condition['status'] | undefined =>
    conditionsOf(object).find((condition) => condition.type === type)?.status;
  if (says('Reconciling') === 'True') return 'InProgress';
  if (says('Stalled') === 'True') return 'Failed';
  return (says('Ready') ?? 'True') === 'True' ? 'Current' : 'InProgress';
}
