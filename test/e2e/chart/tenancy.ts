import { conditionOf, conditionsOf, phaseOf } from '../../scenarios/conditions.ts';
import { instance, untilInstanceReady } from '../../scenarios/instances.ts';
import { tenant } from '../../scenarios/tenants.ts';
import type { KubeClient, KubeObject } from '../../world/kubernetes/client.ts';
import { instances, tenants } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import type { Cluster } from './cluster.ts';

/** Tenants of the namespace `shop` and the Instance `pg-main`, as the tests of the chart use them. */

export async function instanceReady({ kube, servers }: Cluster): Promise<void> {
  const { adminRole, managementDatabase } = servers.management;
  await kube.apply(instances, instance('pg-main', servers.postgres.port, { adminRole, managementDatabase }));
  await untilInstanceReady(kube, 'pg-main');
}

/** Creates a Tenant whose database goes with it. */
export const createTenant = (kube: KubeClient, name: string): Promise<KubeObject> =>
  kube.create(tenants, tenant(name, { deletionPolicy: 'Delete' }));

export const isReady = (object: KubeObject | undefined): boolean => {
  const ready = conditionOf(object, 'Ready');
  const isNew = ready?.observedGeneration === object?.metadata.generation;
  return phaseOf(object) === 'Ready' && ready?.status === 'True' && isNew;
};

/** Ready for its newest generation. @throws Error that shows what it says */
export async function untilTenantReady(kube: KubeClient, name: string): Promise<KubeObject> {
  let last: KubeObject | undefined;
  return waitFor(
    `Tenant ${name} to become Ready`,
    async () => {
      last = await kube.get(tenants, name, 'shop');
      return isReady(last) ? last : undefined;
    },
    { timeoutMs: 40_000, everyMs: 50 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(conditionsOf(last))}`, { cause: error });
  });
}

export async function untilTenantGone(kube: KubeClient, name: string): Promise<void> {
  let last: KubeObject | undefined;
  await waitFor(
    `Tenant ${name} to go`,
    async () => (last = await kube.get(tenants, name, 'shop')) === undefined,
    { timeoutMs: 40_000, everyMs: 50 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(conditionsOf(last))}`, { cause: error });
  });
}
