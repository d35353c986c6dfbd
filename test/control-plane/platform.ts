import { fileURLToPath } from 'node:url';

import { crdsBeside, programPath } from '../programs/programs.ts';
import type { KubeClient, KubeObject, Resource } from '../world/kubernetes/client.ts';
import { yamlDocuments } from '../world/kubernetes/manifests.ts';
import { crds } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { ControlPlane } from './control-plane.ts';
import { mustRun } from './run-program.ts';

const manifest = (name: string): string => fileURLToPath(new URL(`manifests/${name}.yaml`, import.meta.url));
const compositeControllerCrd = new URL('../world/kubernetes/crds/compositecontrollers.yaml', import.meta.url);

/** The kinds of External Secrets that are used here, and the one that it does not start without. */
const externalSecretsKinds =
  /^(externalsecrets|secretstores|clustersecretstores)\.external-secrets\.io$|^generatorstates\.generators\./;

/** Metacontroller's CRDs: those of METACONTROLLER_CRDS (a file of a release), or our own description of them. */
export async function metacontrollerCrds(): Promise<KubeObject[]> {
  const given = process.env['METACONTROLLER_CRDS'];
  if (given !== undefined) return yamlDocuments(given);
  return [
    ...(await yamlDocuments(compositeControllerCrd)),
    ...(await yamlDocuments(manifest('metacontroller-crds'))),
  ];
}

/** External Secrets' CRDs, as its module has them. */
export async function externalSecretsCrds(): Promise<KubeObject[]> {
  const all = await yamlDocuments(crdsBeside(await programPath('external-secrets')));
  return all.filter(({ metadata }) => externalSecretsKinds.test(metadata.name));
}

/** Creates CRDs and waits until the API server serves them. */
export async function installCrds({ kube }: ControlPlane, definitions: readonly KubeObject[]): Promise<void> {
  await Promise.all(definitions.map((definition) => kube.create(crds, definition)));
  await untilServed(
    kube,
    definitions.map(({ metadata }) => metadata.name),
  );
}

/** Waits until the API server serves the kinds of these CRDs, lists too: the first list of a new kind may be told 429. */
export async function untilServed(kube: KubeClient, names: readonly string[]): Promise<void> {
  const areServed = async (): Promise<boolean> => {
    const { items } = await kube.list(crds);
    const served = items.filter((item) => names.includes(item.metadata.name) && isEstablished(item));
    if (served.length < names.length) return false;
    const lists = await Promise.allSettled(served.map((definition) => kube.list(resourceOf(definition))));
    return lists.every(({ status }) => status === 'fulfilled');
  };
  await waitFor(`the API server to serve ${names.join(', ')}`, areServed, {
    timeoutMs: 60_000,
    everyMs: 100,
  });
}

function resourceOf({ spec }: KubeObject): Resource {
  const { group, names, versions } = spec as {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
  const version = versions.find(({ served }) => served)?.name ?? '';
  return { group, version, plural: names.plural };
}

const isEstablished = ({ status }: KubeObject): boolean => {
  const conditions = (status?.['conditions'] ?? []) as { type: string; status: string }[];
  return conditions.some((one) => one.type === 'Established' && one.status === 'True');
};

/** Namespaces, ServiceAccounts and rights of Metacontroller, External Secrets and OpenBao. */
export async function installControllerRights({ kubeconfig }: ControlPlane): Promise<void> {
  await mustRun('kubectl', ['apply', '--server-side', '-f', manifest('controllers')], {
    env: { KUBECONFIG: kubeconfig },
  });
}

const clusterRoles: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
};

/** Waits until the rights of Metacontroller are gathered, which kube-controller-manager does: before, all is forbidden. */
export const untilRightsGathered = (kube: KubeClient): Promise<true> =>
  waitFor('the rights of Metacontroller', async () => {
    const role = await kube.get(clusterRoles, 'metacontroller');
    return ((role?.['rules'] ?? []) as unknown[]).length > 0;
  });
