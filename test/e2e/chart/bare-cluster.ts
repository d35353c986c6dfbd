import { fileURLToPath } from 'node:url';

import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import {
  externalSecretsCrds,
  installControllerRights,
  installCrds,
  metacontrollerCrds,
} from '../../control-plane/platform.ts';
import { yamlDocuments } from '../../world/kubernetes/manifests.ts';
import { type Kubectl, kubectlWith } from '../kubectl.ts';
import { type Helm, helmOn } from '../../control-plane/helm.ts';

/** Only a control plane, for what needs no operator that runs. */
export interface BareCluster {
  readonly plane: ControlPlane;
  readonly kube: ControlPlane['kube'];
  readonly helm: Helm;
  readonly kubectl: Kubectl;
}

export async function startBareCluster(): Promise<BareCluster> {
  const plane = await startControlPlane();
  return { plane, kube: plane.kube, helm: helmOn(plane), kubectl: kubectlWith(plane.kubeconfig) };
}

/** Kinds of what the chart works with: `monitoring` and `cert-manager` are for nobody to act on. */
export async function installKinds(
  { plane }: BareCluster,
  ...names: readonly ('metacontroller' | 'external-secrets' | 'prometheus-operator' | 'cert-manager')[]
): Promise<void> {
  for (const name of names) {
    if (name === 'metacontroller') {
      await installCrds(plane, await metacontrollerCrds());
      await installControllerRights(plane);
    } else if (name === 'external-secrets') await installCrds(plane, await externalSecretsCrds());
    else
      await installCrds(
        plane,
        await yamlDocuments(fileURLToPath(new URL(`crds/${name}.yaml`, import.meta.url))),
      );
  }
}
