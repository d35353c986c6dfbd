import type { KubeClient } from '../../world/kubernetes/client.ts';
import type { PodTemplate } from './pod-template.ts';

/** A Pod as far as it exists here. */
export interface Pod {
  readonly template: PodTemplate;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** As a kubelet sees the API. */
  readonly kube: KubeClient;
}

const fixed: Readonly<Record<string, (pod: Pod) => string>> = {
  'metadata.name': (pod) => pod.name,
  'metadata.namespace': (pod) => pod.namespace,
  'metadata.uid': (pod) => pod.uid,
  'spec.serviceAccountName': (pod) => pod.template.spec.serviceAccountName,
  'spec.nodeName': () => 'localhost',
  'status.podIP': () => '127.0.0.1',
  'status.podIPs': () => '127.0.0.1',
  'status.hostIP': () => '127.0.0.1',
  'status.hostIPs': () => '127.0.0.1',
};

/** What a `fieldRef` stands for. @throws Error for a path that an API server would refuse, or that is not known here */
export function fieldOf(pod: Pod, path: string): string {
  const [, which, key] = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path) ?? [];
  if (which !== undefined && key !== undefined)
    return pod.template.metadata[which === 'labels' ? 'labels' : 'annotations'][key] ?? '';
  const read = fixed[path];
  if (read === undefined) throw new Error(`fieldRef ${path} is not known to the runner of Pods`);
  return read(pod);
}
