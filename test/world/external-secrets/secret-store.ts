import { z } from 'zod';

import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { clusterSecretStores, namespaces, secrets } from '../kubernetes/resources.ts';
import { labelSelector, matchesSelector } from '../metacontroller/label-selector.ts';

const namespaceCondition = z.object({
  namespaceSelector: labelSelector.optional(),
  namespaces: z.array(z.string()).default([]),
  namespaceRegexes: z.array(z.string()).default([]),
});

const storeSpec = z.object({
  /** The controller class; another one's stores are left alone. */
  controller: z.string().optional(),
  conditions: z.array(namespaceCondition).default([]),
  provider: z.object({
    vault: z.object({
      server: z.string(),
      path: z.string(),
      version: z.literal('v2').default('v2'),
      auth: z.object({
        tokenSecretRef: z.object({ name: z.string(), key: z.string(), namespace: z.string().optional() }),
      }),
    }),
  }),
});

const storeStatus = z.object({
  conditions: z
    .array(
      z.object({ type: z.string(), status: z.string(), reason: z.string(), lastTransitionTime: z.string() }),
    )
    .default([]),
});

export type SecretStore = z.infer<typeof storeSpec>;
export type StoreStatus = z.infer<typeof storeStatus>;

/** @throws ZodError for a provider, or a way to log in, other than KV v2 with a token */
export const readStore = (object: KubeObject): SecretStore => storeSpec.parse(object.spec);
export const readStoreStatus = (object: KubeObject): StoreStatus => storeStatus.parse(object.status ?? {});

/** False: the store belongs to another controller, whose ExternalSecrets get no status from us at all. */
export async function isOurs(
  client: KubeClient,
  reference: { kind: string; name: string },
): Promise<boolean> {
  const store = await find(client, reference);
  const controller = store?.spec?.['controller'];
  return controller === undefined || controller === '';
}

/** The store, when this namespace may use it now. @throws Error that says why not */
export async function usableStore(
  client: KubeClient,
  reference: { kind: string; name: string },
  namespace: string,
): Promise<SecretStore> {
  const object = await find(client, reference);
  if (object === undefined) throw new Error(`could not get ${reference.kind} "${reference.name}", not found`);
  const store = readStore(object);
  if (!(await isAllowed(client, store, namespace))) {
    throw new Error(`using cluster store "${reference.name}" is not allowed from namespace "${namespace}"`);
  }
  const ready = readStoreStatus(object).conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') throw new Error(`${reference.kind} "${reference.name}" is not ready`);
  return store;
}

/** The token for requests on behalf of `namespace`, read anew each time. @throws Error when there is none */
export async function tokenOf(
  client: KubeClient,
  { provider: { vault } }: SecretStore,
  namespace: string,
): Promise<string> {
  const { name, key, namespace: fixed } = vault.auth.tokenSecretRef;
  const secret = await client.get(secrets, name, fixed ?? namespace);
  const value = secret?.data?.[key];
  if (value === undefined) throw new Error(`cannot get Kubernetes secret "${name}", key "${key}"`);
  return Buffer.from(value, 'base64').toString('utf8').trim();
}

/** True: the token comes from the namespace of each ExternalSecret, so the store alone cannot log in. */
export const isReferent = ({ provider: { vault } }: SecretStore): boolean =>
  vault.auth.tokenSecretRef.namespace === undefined;

const find = async (
  client: KubeClient,
  { kind, name }: { kind: string; name: string },
): Promise<KubeObject | undefined> =>
  kind === 'ClusterSecretStore' ? client.get(clusterSecretStores, name) : undefined;

/** The conditions are alternatives, and so are the parts of one; a regular expression matches anywhere in the name. */
async function isAllowed(
  client: KubeClient,
  { conditions }: SecretStore,
  namespace: string,
): Promise<boolean> {
  if (conditions.length === 0) return true;
  const labels = (await client.get(namespaces, namespace))?.metadata.labels ?? {};
  return conditions.some(
    (condition) =>
      condition.namespaces.includes(namespace) ||
      condition.namespaceRegexes.some((regex) => new RegExp(regex).test(namespace)) ||
      (condition.namespaceSelector !== undefined && matchesSelector(condition.namespaceSelector, labels)),
  );
}
