import type { KubeClient, KubeObject, OwnerReference } from '../kubernetes/client.ts';
import type { ResourceKind } from './discovery.ts';
import type { Informer } from './informer.ts';
import { isNotFound, updateLive } from './live-update.ts';

/** The label that ties a child to the UID of its parent (`generateSelector`). */
export const controllerUidLabel = 'controller-uid';

export const controllerRef = (parent: KubeObject): OwnerReference => ({
  apiVersion: parent.apiVersion,
  kind: parent.kind,
  name: parent.metadata.name,
  uid: parent.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

export const isMarked = (child: KubeObject, parent: KubeObject): boolean =>
  child.metadata.labels?.[controllerUidLabel] === parent.metadata.uid;

/**
 * The children of one kind that are the parent's: it controls them and they carry its label. An orphan with the label
 * is adopted, a child that lost the label is released; neither while the parent is being deleted.
 */
export const claimChildren = async (
  client: KubeClient,
  parentKind: ResourceKind,
  parent: KubeObject,
  children: Informer,
): Promise<KubeObject[]> => {
  const candidates = children.list(parentKind.namespaced ? parent.metadata.namespace : undefined);
  const claimed: KubeObject[] = [];
  for (const child of candidates) {
    const owner = controllerOf(child);
    if (owner === undefined) {
      const adopted = await adopt(client, parentKind, parent, children.kind, child);
      if (adopted !== undefined) claimed.push(adopted);
    } else if (owner.uid === parent.metadata.uid) {
      if (isMarked(child, parent)) claimed.push(child);
      else await release(client, parent, children.kind, child);
    }
  }
  return claimed;
};

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

const adopt = async (
  client: KubeClient,
  parentKind: ResourceKind,
  parent: KubeObject,
  childKind: ResourceKind,
  child: KubeObject,
): Promise<KubeObject | undefined> => {
  if (isDeleting(parent) || isDeleting(child) || !isMarked(child, parent)) return undefined;
  const fresh = await client.get(parentKind.resource, parent.metadata.name, parent.metadata.namespace);
  if (fresh === undefined || isDeleting(fresh) || fresh.metadata.uid !== parent.metadata.uid)
    throw new Error(`can't adopt ${childKind.kind} ${child.metadata.name}: its parent is being deleted`);
  return changeOwners(client, childKind, child, (owners) => [...owners, controllerRef(parent)]);
};

const release = async (
  client: KubeClient,
  parent: KubeObject,
  childKind: ResourceKind,
  child: KubeObject,
): Promise<void> => {
  if (isDeleting(parent)) return;
  await changeOwners(client, childKind, child, (owners) =>
    owners.filter(({ uid }) => uid !== parent.metadata.uid),
  );
};

/** undefined: the child is gone by now. */
const changeOwners = async (
  client: KubeClient,
  childKind: ResourceKind,
  child: KubeObject,
  change: (owners: OwnerReference[]) => OwnerReference[],
): Promise<KubeObject | undefined> => {
  try {
    return await updateLive(client, childKind.resource, child, (live) => ({
      ...live,
      metadata: { ...live.metadata, ownerReferences: change(live.metadata.ownerReferences ?? []) },
    }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};
