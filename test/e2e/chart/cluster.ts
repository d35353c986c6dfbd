import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import type { KubeApiserverOptions } from '../../control-plane/kube-apiserver.ts';
import { startExternalSecretsProcess } from '../../control-plane/external-secrets-process.ts';
import {
  externalSecretsCrds,
  installControllerRights,
  installCrds,
  metacontrollerCrds,
} from '../../control-plane/platform.ts';
import { type Helm, helmOn } from '../../control-plane/helm.ts';
import { release, releaseValues } from '../../control-plane/operator-release.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import type { RunningMetacontroller } from '../../control-plane/metacontroller-process.ts';
import { runMetacontroller } from '../../control-plane/run-metacontroller.ts';
import type { ApiAccess } from '../../world/kubernetes/client.ts';
import { namespaces, secrets } from '../../world/kubernetes/resources.ts';
import { letOperatorIn } from '../../world/operator-login.ts';
import { managementSecret, platformObjects } from '../../world/platform-objects.ts';
import { type PlatformServers, startPlatformServers } from '../../world/platform-servers.ts';
import { closable } from '../../world/servers/closable.ts';
import { freePort } from '../../world/servers/free-port.ts';
import { type Kubectl, kubectlWith } from '../kubectl.ts';

/** A cluster before the chart: platform servers, External Secrets with its stores, and the rights of nobody else. */
export interface Cluster {
  readonly plane: ControlPlane;
  readonly kube: ControlPlane['kube'];
  readonly servers: PlatformServers;
  readonly helm: Helm;
  readonly kubectl: Kubectl;
  /** Where Metacontroller reaches the hook. */
  readonly hookPort: number;
  /** Ends something with the cluster, the last one first. */
  atEnd(end: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Starts it; what was started is ended again when something fails on the way. */
export const startCluster = (options: KubeApiserverOptions = {}): Promise<Cluster> =>
  closable(async (atEnd) => {
    const servers = await startPlatformServers({}, atEnd, () => undefined);
    const plane = await startControlPlane(options);
    atEnd(() => plane.close());
    await preparePlatform(plane, servers);
    const access = await accessOf(plane.kube, plane.admin, account('external-secrets'));
    const externalSecrets = await startExternalSecretsProcess(plane.folder, access);
    atEnd(() => externalSecrets.stop());
    return {
      ...{ plane, servers, atEnd, kube: plane.kube, hookPort: await freePort() },
      ...{ helm: helmOn(plane), kubectl: kubectlWith(plane.kubeconfig) },
    };
  });

const account = (name: string) => ({ namespace: name, name });

async function preparePlatform(plane: ControlPlane, servers: PlatformServers): Promise<void> {
  const { kube } = plane;
  await installCrds(plane, [...(await metacontrollerCrds()), ...(await externalSecretsCrds())]);
  await installControllerRights(plane);
  for (const name of [release.namespace, 'shop'])
    await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const { resource, object } of platformObjects(servers)) await kube.create(resource, object);
  await kube.create(secrets, managementSecret(servers.management));
  await letOperatorIn({ ...servers, kube, host: plane.api.url, ca: plane.api.ca });
}

/** The values of a release in this cluster; the operator looks often, so that no test has to wait long. */
export function valuesFor({ plane, servers, hookPort }: Cluster, more: object = {}): object {
  const base = releaseValues(servers, `https://127.0.0.1:${hookPort}`);
  return {
    ...base,
    kubernetesApi: { url: plane.api.url },
    reconcile: { resyncSeconds: 1, loginCheckSeconds: { min: 1, max: 2 } },
    ...more,
    hook: { ...base.hook, ...('hook' in more ? (more.hook as object) : {}) },
    metacontroller: {
      ...base.metacontroller,
      ...('metacontroller' in more ? (more.metacontroller as object) : {}),
    },
  };
}

/** As which Metacontroller calls the API server. */
export const metacontrollerAccess = ({ plane }: Cluster): Promise<ApiAccess> =>
  accessOf(plane.kube, plane.admin, account('metacontroller'));

/** Starts Metacontroller with its own rights; it ends with the cluster. */
export async function startMetacontrollerIn(cluster: Cluster): Promise<RunningMetacontroller> {
  const running = await runMetacontroller(cluster.plane.folder, await metacontrollerAccess(cluster));
  cluster.atEnd(() => running.stop());
  return running;
}
