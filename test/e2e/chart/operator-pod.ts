import { operatorTemplate, release } from '../../control-plane/operator-release.ts';
import { type RunningPod, runPod } from '../../control-plane/pod-runner/run-pod.ts';
import { imageFolder } from '../../image/image-folder.ts';
import type { Cluster } from './cluster.ts';

/** The operator as the release's Deployment has it now, from the image, where the values say that the hook is. */
export async function runOperator({ plane, hookPort }: Cluster): Promise<RunningPod> {
  return runPod({
    ...{ template: await operatorTemplate(plane), namespace: release.namespace },
    ...{ image: await imageFolder(), kube: plane.kube },
    overrides: { PORT: String(hookPort) },
  });
}
