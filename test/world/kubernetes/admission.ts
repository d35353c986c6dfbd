import type { KubeObject } from './client.ts';
import type { ResourceType, ResourceTypes } from './resource-type.ts';
import { conflict, methodNotAllowed, notFound, refused } from './status-error.ts';
import type { ObjectStore } from './store.ts';

/** Refuses new objects where there is no namespace for them, or one that is going away, or a CRD that is. */
export function admitCreation(
  { metadata }: KubeObject,
  type: ResourceType,
  store: ObjectStore,
  types: ResourceTypes,
): void {
  const namespaces = types.get({ group: '', plural: 'namespaces' });
  const { namespace } = metadata;
  if (namespace !== undefined && namespaces !== undefined) {
    const found = store.get(namespaces, undefined, namespace);
    if (found === undefined) throw notFound(namespaces, namespace);
    if (found.metadata.deletionTimestamp !== undefined)
      throw refused(
        type,
        metadata.name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      );
  }
  const crds = types.get({ group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' });
  const crd = crds === undefined ? undefined : store.get(crds, undefined, `${type.plural}.${type.group}`);
  if (crd?.metadata.deletionTimestamp !== undefined) throw methodNotAllowed();
}

interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** 409 when the stored object is another one, or a newer one, than the client means. */
export function checkPreconditions(
  type: ResourceType,
  { metadata }: KubeObject,
  wanted: Preconditions,
): void {
  const { uid = '', resourceVersion = '' } = wanted;
  if (uid !== '' && uid !== metadata.uid)
    throw conflict(
      type,
      metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`,
    );
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      type,
      metadata.name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
}
