import { imageFolder } from '../../image/image-folder.ts';
import { type Completion, runToCompletion } from '../../control-plane/pod-runner/run-to-completion.ts';
import type { KubeClient, KubeObject, Resource } from '../../world/kubernetes/client.ts';
import { waitFor } from '../../world/servers/wait-for.ts';

const pods: Resource = { group: '', version: 'v1', plural: 'pods' };

interface Options {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** Of the Pod. */
  readonly name: string;
  /** What is elsewhere on this machine. */
  readonly overrides: Readonly<Record<string, string>>;
}

/** There are no nodes: waits for the Pod, runs it, and tells the API server how it ended, as its kubelet would. */
export async function playTestPod({ kube, namespace, name, overrides }: Options): Promise<Completion> {
  const image = await imageFolder();
  const pod = await waitFor(`Pod ${name}`, () => kube.get(pods, name, namespace), { timeoutMs: 30_000 });
  const completion = await runToCompletion({ template: pod, image, kube, overrides });
  await kube.updateStatus(pods, ended(pod, completion.code));
  return completion;
}

const ended = (pod: KubeObject, code: number | null): KubeObject => ({
  ...pod,
  status: { ...pod.status, phase: code === 0 ? 'Succeeded' : 'Failed' },
});
