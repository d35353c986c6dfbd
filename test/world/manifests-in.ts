import type { KubeClient, KubeObject, Resource } from './kubernetes/client.ts';
import {
  clusterSecretStores,
  externalSecrets,
  instances,
  namespaces,
  secrets,
  tenants,
} from './kubernetes/resources.ts';

const resources: Readonly<Record<string, { readonly resource: Resource; readonly namespaced: boolean }>> = {
  Namespace: { resource: namespaces, namespaced: false },
  Secret: { resource: secrets, namespaced: true },
  PostgreSQLInstance: { resource: instances, namespaced: false },
  PostgreSQLTenant: { resource: tenants, namespaced: true },
  ExternalSecret: { resource: externalSecrets, namespaced: true },
  ClusterSecretStore: { resource: clusterSecretStores, namespaced: false },
};

/** The resource of an object's kind. @throws Error for a kind that the world does not serve, as kubectl would */
export function resourceOf({ kind, apiVersion }: KubeObject): Resource {
  const known = resources[kind];
  if (known === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  return known.resource;
}

/** Applies objects in their order; one without a namespace goes to `default`, which is made when it is missing. */
export async function applyAll(kube: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const resource = resourceOf(object);
    const placed = resources[object.kind]?.namespaced === true ? await inNamespace(kube, object) : object;
    await kube.apply(resource, placed);
  }
}

async function inNamespace(kube: KubeClient, object: KubeObject): Promise<KubeObject> {
  const namespace = object.metadata.namespace ?? 'default';
  if ((await kube.get(namespaces, namespace)) === undefined) {
    await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  return { ...object, metadata: { ...object.metadata, namespace } };
}
