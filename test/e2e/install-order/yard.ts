import { readFile } from 'node:fs/promises';

import { chartFolder } from '../../chart/chart.ts';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { type Kubelet, startKubelet } from '../../control-plane/kubelet/kubelet.ts';
import { startServiceProxy } from '../../control-plane/kubelet/service-proxy.ts';
import { accessOf } from '../../control-plane/service-account.ts';
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
import { installation, operatorNamespace } from '../../world/names.ts';
import { operatorRole } from '../../world/operator-login.ts';
import { platformObjects } from '../../world/platform-objects.ts';
import type { PlatformServers } from '../../world/platform-servers.ts';
import { setUpKubernetesAuth, writeRole } from '../../world/servers/kubernetes-auth.ts';
import { type RunningMetacontroller } from '../chart/metacontroller.ts';
import { type Helm, helmOn } from '../chart/helm.ts';
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
const operator = { namespace: operatorNamespace, name: 'postgresql-tenant-operator' };
const repository = 'registry.example.com/postgresql-tenant-operator';
const metacontrollerValues = new URL('../../../metacontroller/values.yaml', import.meta.url);

export async function startYard(options: YardOptions): Promise<Yard> {
  const ends: (() => Promise<unknown>)[] = [];
  const atEnd = (end: () => Promise<unknown>): void => void ends.push(end);
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await build(options, atEnd)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  { servers, image, id }: YardOptions,
  atEnd: (end: () => Promise<unknown>) => void,
): Promise<Omit<Yard, 'close'>> {
  const plane = await startControlPlane();
  atEnd(() => plane.close());
  const { kube } = plane;
  await letOperatorIn(plane, servers, id);
  const overrides = { KUBERNETES_URL: plane.api.url };
  const kubelet = startKubelet({ kube, overrides, image: () => image });
  atEnd(() => kubelet.close());
  const proxy = await startServiceProxy({ kube, kubelet, port: 'hook', ...operator });
  atEnd(() => proxy.close());
  const helm = helmOn(plane);
  const values = valuesFor(servers, {
    authMount: authMountOf(id),
    hookUrl: `https://127.0.0.1:${proxy.port}`,
  });
  const parts = { plane, atEnd };
  return {
    ...{ plane, helm, kubelet, kubectl: kubectlWith(plane.kubeconfig) },
    chart: (verb = 'install') =>
      helm.ok([verb, operator.name, chartFolder, '--namespace', operator.namespace], values),
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
async function letOperatorIn(plane: ControlPlane, servers: PlatformServers, id: string): Promise<void> {
  const { kube } = plane;
  for (const name of ['openbao', operator.namespace, 'shop'])
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
  const { username, password } = servers.management;
  await kube.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pg-main-management', namespace: operator.namespace },
    stringData: { username, password },
  });
  const { token = '' } = await accessOf(kube, plane.admin, account);
  const mount = authMountOf(id);
  await setUpKubernetesAuth(servers.openBao, {
    ...{ mount, host: plane.api.url, ca: plane.api.ca, reviewerToken: token },
  });
  await writeRole(servers.openBao, {
    ...{ mount, name: operatorRole, serviceAccount: operator.name, namespace: operator.namespace },
    policies: [servers.kvSetUp.operatorPolicy],
  });
}

const valuesFor = (
  { openBao, kvSetUp, ca }: PlatformServers,
  { authMount, hookUrl }: { readonly authMount: string; readonly hookUrl: string },
): object => ({
  installation,
  image: { repository },
  openbao: {
    address: openBao.url,
    externalAddress: 'https://openbao.example.internal:8200',
    mount: kvSetUp.mount,
    authMount,
  },
  postgres: { ca: { bundle: ca } },
  metacontroller: { hookUrl },
  hook: { drainSeconds: 0 },
});
