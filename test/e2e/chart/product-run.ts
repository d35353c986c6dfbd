import { instance } from '../../scenarios/instances.ts';
import { conditionOf } from '../../scenarios/conditions.ts';
import type { RunningPod } from '../../control-plane/pod-runner/run-pod.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { events, externalSecrets, instances, tenants } from '../../world/kubernetes/resources.ts';
import type { Cluster } from './cluster.ts';
import { createTenant, isReady } from './tenancy.ts';

/** Something that people do, and whether the product has done its part. */
export interface Act {
  readonly what: string;
  begin(): Promise<unknown>;
  isDone(): Promise<boolean>;
}

/** All that Metacontroller and the operator do for one Tenant and one Instance, in order, from creation to end. */
export function productRun(cluster: Cluster, { hook }: RunningPod, id: string) {
  const { kube } = cluster;
  const [tenantName, instanceName, childName] = [`t-${id}`, `pg-${id}`, `t-${id}-postgresql`];
  const tenant = () => kube.get(tenants, tenantName, 'shop');
  const child = () => kube.get(externalSecrets, childName, 'shop');
  const isTenantReady = async (): Promise<boolean> => isReady(await tenant());
  return {
    create: {
      what: 'an Instance and a Tenant are created',
      begin: async () => {
        await kube.create(instances, spareInstance(cluster, instanceName));
        await createTenant(kube, tenantName);
      },
      isDone: async () =>
        conditionOf(await kube.get(instances, instanceName), 'Ready')?.status === 'True' &&
        (await isTenantReady()),
    },
    editChild: {
      what: 'the ExternalSecret is edited',
      begin: () => kube.patch(externalSecrets, childName, 'shop', { spec: { refreshInterval: '2h0m0s' } }),
      isDone: async () => (await child())?.spec?.['refreshInterval'] === '1h0m0s' && isTenantReady(),
    },
    orphanChild: {
      what: 'the ExternalSecret loses its owner',
      begin: () => kube.patch(externalSecrets, childName, 'shop', { metadata: { ownerReferences: null } }),
      isDone: async () => isOwned(await child()) && isTenantReady(),
    },
    rotate: {
      what: 'a password is rotated',
      begin: () => kube.patch(tenants, tenantName, 'shop', { spec: { credentialRotation: 'again' } }),
      isDone: isTenantReady,
    },
    leave: {
      what: 'the operator is away',
      begin: async () => {
        await hook.kill();
        await kube.patch(tenants, tenantName, 'shop', { metadata: { annotations: { touched: 'yes' } } });
      },
      isDone: async () => hasRepeatedEvent(cluster, tenantName),
    },
    comeBack: {
      what: 'the operator is back',
      begin: () => hook.start(),
      isDone: isTenantReady,
    },
    remove: {
      what: 'both are deleted',
      begin: async () => {
        await kube.delete(tenants, tenantName, 'shop');
        await kube.delete(instances, instanceName);
      },
      isDone: async () =>
        (await tenant()) === undefined && (await kube.get(instances, instanceName)) === undefined,
    },
  } satisfies Record<string, Act>;
}

const spareInstance = ({ servers }: Cluster, name: string): KubeObject => {
  const { adminRole, managementDatabase } = servers.management;
  return instance(name, servers.postgres.port, { adminRole, managementDatabase });
};

const isOwned = (object: KubeObject | undefined): boolean =>
  (object?.metadata.ownerReferences ?? []).some(({ controller }) => controller === true);

/** Whether Metacontroller wrote an Event again because the same happened again. */
async function hasRepeatedEvent({ kube }: Cluster, tenant: string): Promise<boolean> {
  const { items } = await kube.list(events, 'shop');
  return items.some(
    (event) =>
      (event['involvedObject'] as { name?: string }).name === tenant && Number(event['count'] ?? 0) > 1,
  );
}
