import { setTimeout as sleep } from 'node:timers/promises';

import type { RunningPod } from '../pod-runner/run-pod.ts';
import { type Node, PodLife, pods } from './pod-life.ts';

export interface Kubelet {
  /** Ready Pods of this namespace with these labels. */
  serving(namespace: string, labels: Readonly<Record<string, string>>): readonly RunningPod[];
  /** Of every Pod so far. */
  log(): string;
  /** Ends what runs, and tells nobody. */
  close(): Promise<void>;
}

const lookEveryMs = 100;

/**
 * The one node of a control plane without nodes: takes every Pod there is, runs its container as a process of this
 * machine, and keeps its status, so that Deployments, `kubectl rollout` and `helm test` get on as in a cluster.
 */
export function startKubelet(node: Node): Kubelet {
  const lives = new Map<string, PodLife>();
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    const { items } = await node.kube.list(pods);
    for (const pod of items) {
      const uid = pod.metadata.uid ?? '';
      const isDeleted = pod.metadata.deletionTimestamp !== undefined;
      if (!isDeleted && !lives.has(uid)) lives.set(uid, new PodLife(node, pod));
      if (isDeleted) void lives.get(uid)?.end();
    }
    const present = new Set(items.map(({ metadata }) => metadata.uid));
    for (const [uid, life] of lives) if (!present.has(uid)) void life.end();
  };
  const looking = (async () => {
    while (!stop.signal.aborted) {
      // An API server that is away is asked again.
      await look().catch(() => undefined);
      await sleep(lookEveryMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return {
    serving: (namespace, labels) =>
      [...lives.values()]
        .filter((life) => life.namespace === namespace && hasAll(life.labels, labels))
        .flatMap(({ serving }) => (serving === undefined ? [] : [serving])),
    log: () => [...lives.values()].map((life) => life.log()).join('\n'),
    close: async () => {
      stop.abort();
      await looking;
      await Promise.all([...lives.values()].map((life) => life.end()));
    },
  };
}

const hasAll = (
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean => Object.entries(wanted).every(([name, value]) => labels[name] === value);
