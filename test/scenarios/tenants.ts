import type { KubeObject } from '../world/kubernetes/client.ts';
import { tenants } from '../world/kubernetes/resources.ts';
import { applyAll } from '../world/manifests-in.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { conditionOf, conditionsOf, phaseOf } from './conditions.ts';
import type { Stage } from './stage.ts';

/** `name`, or `namespace/name`; without a namespace it is `shop`. */
export type TenantName = string;

export const splitName = (name: TenantName): { namespace: string; name: string } => {
  const [first = '', second] = name.split('/');
  return second === undefined ? { namespace: 'shop', name: first } : { namespace: first, name: second };
};

export const tenant = (name: TenantName, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLTenant',
  metadata: splitName(name),
  spec: { instanceRef: { name: 'pg-main' }, ...spec },
});

interface Patience {
  /** By default 30 s. */
  readonly timeoutMs?: number;
}

export const apply = ({ kube }: Stage, ...objects: KubeObject[]): Promise<void> => applyAll(kube, objects);

/** Applies a Tenant and waits until it is Ready. */
export async function ready(
  stage: Stage,
  name: TenantName,
  spec: Record<string, unknown> = {},
): Promise<KubeObject> {
  await apply(stage, tenant(name, spec));
  return untilReady(stage, name);
}

export const look = ({ kube }: Stage, name: TenantName): Promise<KubeObject | undefined> =>
  kube.get(tenants, splitName(name).name, splitName(name).namespace);

/** Ready for its newest generation. */
export const untilReady = (stage: Stage, name: TenantName, patience?: Patience): Promise<KubeObject> =>
  until(stage, name, 'to become Ready', isReady, patience);

const isReady = (object: KubeObject): boolean => {
  const condition = conditionOf(object, 'Ready');
  return (
    phaseOf(object) === 'Ready' &&
    condition?.status === 'True' &&
    condition.observedGeneration === object.metadata.generation
  );
};

export const untilCondition = (
  stage: Stage,
  name: TenantName,
  type: string,
  wanted: { status: string; reason?: string },
): Promise<KubeObject> =>
  until(stage, name, `to say ${type}=${JSON.stringify(wanted)}`, (object) => {
    const said = conditionOf(object, type);
    return said?.status === wanted.status && (wanted.reason === undefined || said.reason === wanted.reason);
  });

/** Waits until the Tenant is as `holds` says. @throws Error that shows what it said last */
export async function until(
  stage: Stage,
  name: TenantName,
  what: string,
  holds: (object: KubeObject) => boolean,
  { timeoutMs = 90_000 }: Patience = {},
): Promise<KubeObject> {
  let last: KubeObject | undefined;
  try {
    return await waitFor(
      `Tenant ${name} ${what}`,
      async () => {
        last = await look(stage, name);
        return last !== undefined && holds(last) ? last : undefined;
      },
      { timeoutMs },
    );
  } catch (error) {
    const said = conditionsOf(last).map(({ type, status, reason, message }) =>
      [type, status, reason, message].join(' '),
    );
    throw new Error(
      `${String(error)}; it is ${phaseOf(last) ?? 'without a phase'}:\n${said.join('\n')}\n${stage.world.hook.log().slice(-3_000)}`,
      { cause: error },
    );
  }
}

export const change = (stage: Stage, name: TenantName, spec: Record<string, unknown>): Promise<KubeObject> =>
  stage.kube.patch(tenants, splitName(name).name, splitName(name).namespace, { spec });

export const confirm = (stage: Stage, name: TenantName, token: string): Promise<KubeObject> =>
  stage.kube.patch(tenants, splitName(name).name, splitName(name).namespace, {
    metadata: { annotations: { 'pgtenancy.io/confirm': token } },
  });

/** Asks for deletion and waits until the object is gone. */
export async function remove(
  stage: Stage,
  name: TenantName,
  { timeoutMs = 90_000 }: Patience = {},
): Promise<void> {
  await stage.kube.delete(tenants, splitName(name).name, splitName(name).namespace);
  try {
    await waitFor(`Tenant ${name} to go`, async () => (await look(stage, name)) === undefined, {
      timeoutMs,
    });
  } catch (error) {
    const last = await look(stage, name);
    throw new Error(`${String(error)}; it says ${JSON.stringify(last?.status)}`, { cause: error });
  }
}
