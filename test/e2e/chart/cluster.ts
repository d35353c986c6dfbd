import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import type { KubeApiserverOptions } from '../../control-plane/kube-apiserver.ts';
import { startExternalSecretsProcess } from '../../control-plane/external-secrets-process.ts';
import {
  externalSecretsCrds,
  installControllerRights,
  installCrds,
  metacontrollerCrds,
} from '../../control-plane/platform.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import type { ApiAccess } from '../../world/kubernetes/client.ts';
import { namespaces, secrets } from '../../world/kubernetes/resources.ts';
import { installation, operatorNamespace } from '../../world/names.ts';
import { operatorRole } from '../../world/operator-login.ts';
import { platformObjects } from '../../world/platform-objects.ts';
import { type PlatformServers, startPlatformServers } from '../../world/platform-servers.ts';
import { setUpKubernetesAuth, writeRole } from '../../world/servers/kubernetes-auth.ts';
import { freePort } from '../../world/servers/free-port.ts';
import { type Kubectl, kubectlWith } from '../kubectl.ts';
import { type Helm, helmOn } from './helm.ts';
import { type RunningMetacontroller, runMetacontroller } from './metacontroller.ts';

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

export const release = { name: 'postgresql-tenant-operator', namespace: operatorNamespace };

/** Starts it; what was started is ended again when something fails on the way. */
export async function startCluster(options: KubeApiserverOptions = {}): Promise<Cluster> {
  const ends: (() => Promise<unknown>)[] = [];
  const atEnd = (end: () => Promise<unknown>): void => void ends.push(end);
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const servers = await startPlatformServers({}, atEnd, () => undefined);
    const plane = await startControlPlane(options);
    atEnd(() => plane.close());
    await preparePlatform(plane, servers);
    const access = await accessOf(plane.kube, plane.admin, account('external-secrets'));
    const externalSecrets = await startExternalSecretsProcess(plane.folder, access);
    atEnd(() => externalSecrets.stop());
    return {
      ...{ plane, servers, atEnd, close, kube: plane.kube, hookPort: await freePort() },
      ...{ helm: helmOn(plane), kubectl: kubectlWith(plane.kubeconfig) },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const account = (name: string) => ({ namespace: name, name });

async function preparePlatform(plane: ControlPlane, servers: PlatformServers): Promise<void> {
  const { kube } = plane;
  await installCrds(plane, [...(await metacontrollerCrds()), ...(await externalSecretsCrds())]);
  await installControllerRights(plane);
  for (const name of [release.namespace, 'shop'])
    await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const { resource, object } of platformObjects(servers)) await kube.create(resource, object);
  const { username, password } = servers.management;
  await kube.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pg-main-management', namespace: release.namespace },
    stringData: { username, password },
  });
  const reviewer = await accessOf(kube, plane.admin, account('openbao'));
  await setUpKubernetesAuth(servers.openBao, {
    host: plane.api.url,
    ca: plane.api.ca,
    reviewerToken: reviewer.token ?? '',
  });
  await writeRole(servers.openBao, {
    name: operatorRole,
    serviceAccount: release.name,
    namespace: release.namespace,
    policies: [servers.kvSetUp.operatorPolicy],
  });
}

/** The values of a release in this cluster; the operator looks often, so that no test has to wait long. */
export const valuesFor = ({ plane, servers, hookPort }: Cluster, more: object = {}): object => ({
  installation,
  image: { repository: 'registry.example.com/postgresql-tenant-operator' },
  openbao: {
    address: servers.openBao.url,
    externalAddress: 'https://openbao.example.internal:8200',
    mount: servers.kvSetUp.mount,
  },
  postgres: { ca: { bundle: servers.ca } },
  kubernetesApi: { url: plane.api.url },
  reconcile: { resyncSeconds: 1, loginCheckSeconds: { min: 1, max: 2 } },
  ...more,
  hook: { drainSeconds: 0, ...('hook' in more ? (more.hook as object) : {}) },
  metacontroller: {
    hookUrl: `https://127.0.0.1:${hookPort}`,
    ...('metacontroller' in more ? (more.metacontroller as object) : {}),
  },
});

/** As which Metacontroller calls the API server. */
export const metacontrollerAccess = ({ plane }: Cluster): Promise<ApiAccess> =>
  accessOf(plane.kube, plane.admin, account('metacontroller'));

/** Starts Metacontroller with its own rights; it ends with the cluster. */
export async function startMetacontrollerIn(cluster: Cluster): Promise<RunningMetacontroller> {
  const running = await runMetacontroller(cluster.plane.folder, await metacontrollerAccess(cluster));
  cluster.atEnd(() => running.stop());
  return running;
}
