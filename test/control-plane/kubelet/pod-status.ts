import type { KubeObject } from '../../world/kubernetes/client.ts';

/* What a kubelet writes into the status of a Pod with one container, as far as controllers and clients read it. */

interface ContainerState {
  readonly waiting?: { readonly reason: string; readonly message: string };
  readonly running?: { readonly startedAt: string };
  readonly terminated?: { readonly exitCode: number };
}

export const waitingStatus = (pod: KubeObject, reason: string, message: string): object => ({
  phase: 'Pending',
  ...body(pod, false, { waiting: { reason, message } }),
});

export const runningStatus = (pod: KubeObject): object => ({
  phase: 'Running',
  podIP: '127.0.0.1',
  podIPs: [{ ip: '127.0.0.1' }],
  ...body(pod, true, { running: { startedAt: now() } }),
});

/** @param exitCode null: it was killed */
export const endedStatus = (pod: KubeObject, exitCode: number | null): object => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  ...body(pod, false, { terminated: { exitCode: exitCode ?? 137 } }),
});

function body(pod: KubeObject, isReady: boolean, state: ContainerState): object {
  const { name, image } = firstContainer(pod);
  const isStarted = state.running !== undefined;
  return {
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', isReady),
      condition('Ready', isReady),
    ],
    containerStatuses: [
      { name, image, imageID: image, ready: isReady, started: isStarted, restartCount: 0, state },
    ],
  };
}

const condition = (type: string, holds: boolean): object => ({
  type,
  status: holds ? 'True' : 'False',
  lastTransitionTime: now(),
});

export function firstContainer({ spec }: KubeObject): { readonly name: string; readonly image: string } {
  const { containers } = spec as { containers: readonly { name: string; image: string }[] };
  const [first] = containers;
  if (first === undefined) throw new Error('a Pod without a container');
  return first;
}

/** The API server keeps whole seconds. */
const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
