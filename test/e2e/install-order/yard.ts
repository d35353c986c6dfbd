import { readFile } from 'node:fs/promises';

import { chartFolder } from '../../chart/chart.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { type Kubelet, startKubelet } from '../../control-plane/kubelet/kubelet.ts';
import { startServiceProxy } from '../../control-plane/kubelet/service-proxy.ts';
import { type Helm, helmOn } from '../../control-plane/helm.ts';
import { release, releaseValues } from '../../control-plane/operator-release.ts';
import type { RunningMetacontroller } from '../../control-plane/metacontroller-process.ts';
import type { Image } from '../../image/image.ts';
import { instance } from '../../scenarios/instances.ts';
import { tenant } from '../../scenarios/tenants.ts';
import { type KubeObject, type Resource } from '../../world/kubernetes/client.ts';
import {
  instances,
  namespaces,
  secrets,
  serviceAccounts,
  tenants,
} from '../../world/kubernetes/resources.ts';
import { letOperatorIn } from '../../world/operator-login.ts';
import { managementSecret, platformObjects } from '../../world/platform-objects.ts';
import type { PlatformServers } from '../../world/platform-servers.ts';
import { closable, type AtEnd } from '../../world/servers/closable.ts';
import { installExternalSecrets, installMetacontroller } from '../deployment/foreign-charts.ts';
import { type Kubectl, kubectlWith } from '../kubectl.ts';

/** A cluster in which nothing is installed yet, and what can be, in any order. */
export interface Yard {
  readonly plane: ControlPlane;
  readonly helm: Helm;
  readonly kubectl: Kubectl;
  readonly kubelet: Kubelet;
  /** `install`, or `upgrade` of what is there; gives what Helm says about it. */
  chart(verb?: 'install' | 'upgrade'): Promise<string>;
  metacontroller(): Promise<RunningMetacontroller>;
  /** With its stores. */
  externalSecrets(): Promise<void>;
  /** An Instance, once the chart is there. */
  createInstance(): Promise<void>;
  /** A Tenant, whose names no other yard has. */
  createTenant(name: string): Promise<void>;
  tenant(name: string): Promise<KubeObject | undefined>;
  close(): Promise<void>;
}

export interface YardOptions {
  readonly servers: PlatformServers;
  readonly image: Image;
  /** Tells yards that share the servers apart. */
  readonly id: string;
}

const clusterRoleBindings: Resource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
};
const metacontrollerValues = new URL('../../../metacontroller/values.yaml', import.meta.url);

export const startYard = (options: YardOptions): Promise<Yard> => closable((atEnd) => build(options, atEnd));

async function build({ servers, image, id }: YardOptions, atEnd: AtEnd): Promise<Omit<Yard, 'close'>> {
  const plane = await startControlPlane();
  atEnd(() => plane.close());
  const { kube } = plane;
  await prepare(plane, servers, id);
  const overrides = { KUBERNETES_URL: plane.api.url };
  const kubelet = startKubelet({ kube, overrides, image: () => image });
  atEnd(() => kubelet.close());
  const proxy = await startServiceProxy({ kube, kubelet, port: 'hook', ...release });
  atEnd(() => proxy.close());
  const helm = helmOn(plane);
  const base = releaseValues(servers, `https://127.0.0.1:${proxy.port}`);
  const values = { ...base, openbao: { ...base.openbao, authMount: authMountOf(id) } };
  const parts = { plane, atEnd };
  return {
    ...{ plane, helm, kubelet, kubectl: kubectlWith(plane.kubeconfig) },
    chart: (verb = 'install') =>
      helm.ok([verb, release.name, chartFolder, '--namespace', release.namespace], values),
    metacontroller: async () =>
      installMetacontroller(parts, 'metacontroller', await readFile(metacontrollerValues, 'utf8')),
    externalSecrets: async () => {
      await installExternalSecrets(parts, 'external-secrets');
      for (const { resource, object } of platformObjects(servers)) await kube.create(resource, object);
    },
    createInstance: async () => {
      const { adminRole, managementDatabase } = servers.management;
      const spec = { adminRole, managementDatabase };
      await kube.create(instances, instance('pg-main', servers.postgres.port, spec));
    },
    createTenant: async (name) => {
      await kube.create(tenants, tenant(`${name}-${id}`));
    },
    tenant: (name) => kube.get(tenants, `${name}-${id}`, 'shop'),
  };
}

const authMountOf = (id: string): string => `kubernetes-${id}`;

/** OpenBao asks this cluster about the operator's token; the management login is there without External Secrets. */
async function prepare(plane: ControlPlane, servers: PlatformServers, id: string): Promise<void> {
  const { kube } = plane;
  for (const name of ['openbao', release.namespace, 'shop'])
    await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { namespace: 'openbao', name: 'openbao' };
  await kube.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await kube.create(clusterRoleBindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'openbao-tokenreview' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  await kube.create(secrets, managementSecret(servers.management));
  await letOperatorIn({ ...servers, kube, host: plane.api.url, ca: plane.api.ca, mount: authMountOf(id) });
}
