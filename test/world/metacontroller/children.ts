import { isDeepStrictEqual } from 'node:util';

import { ApiError, type KubeClient, type KubeObject, type Resource } from '../kubernetes/client.ts';
import type { CompositeControllerSpec } from './composite-controller.ts';
import type { FaultInjector } from './faults.ts';
import { Interrupted } from './faults.ts';
import { isConflict, isNotFound } from './live-update.ts';
import { describeObject, type ObjectMap } from './object-map.ts';
import { controllerRef } from './ownership.ts';
import type { ServerSideApply } from './server-side-apply.ts';
import { applyDesired, withLastApplied } from './three-way-merge.ts';

export type UpdateMethod = CompositeControllerSpec['childResources'][number]['updateStrategy']['method'];

export interface ChildrenOptions {
  client: KubeClient;
  faults: FaultInjector;
  /** The resource of a kind; also of one that the controller did not declare. */
  resourceOf: (apiVersion: string, kind: string) => Promise<Resource>;
  /** OnDelete for kinds that the controller did not declare. */
  methodOf: (apiVersion: string, kind: string) => UpdateMethod;
  /** undefined: dynamic apply. */
  serverSideApply: ServerSideApply | undefined;
}

/**
 * Makes the observed children what the hook desires: first deletes, then creates and updates. One failure does not
 * keep the others from being tried; all of them end up in the message of the Error that is thrown at the end.
 */
export const manageChildren = async (
  options: ChildrenOptions,
  parent: KubeObject,
  observed: ObjectMap,
  desired: ObjectMap,
): Promise<void> => {
  const errors: unknown[] = [];
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    await step().catch((error: unknown) => {
      if (error instanceof Interrupted) throw error;
      errors.push(error);
    });
  };
  for (const [kind, key, child] of entriesOf(observed))
    if (desired[kind]?.[key] === undefined) await attempt(() => deleteChild(options, child));
  for (const [kind, key, child] of entriesOf(desired))
    await attempt(() => applyChild(options, parent, observed[kind]?.[key], child));
  if (errors.length > 0) throw new Error(errors.map(messageOf).join(', '));
};

const entriesOf = (map: ObjectMap): [string, string, KubeObject][] =>
  Object.entries(map).flatMap(([kind, objects]) =>
    Object.entries(objects).map(([key, object]): [string, string, KubeObject] => [kind, key, object]),
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const deleteChild = async (options: ChildrenOptions, child: KubeObject): Promise<void> => {
  const { name, namespace, uid, deletionTimestamp } = child.metadata;
  if (deletionTimestamp !== undefined) return;
  options.faults.beforeChildWrite();
  const resource = await options.resourceOf(child.apiVersion, child.kind);
  try {
    await options.client.delete(resource, name, namespace, {
      propagation: 'Background',
      ...(uid === undefined ? {} : { uid }),
    });
    options.serverSideApply?.forget(child);
  } catch (error) {
    throw new Error(`can't delete ${describeObject(child)}: ${messageOf(error)}`, { cause: error });
  }
};

const applyChild = async (
  options: ChildrenOptions,
  parent: KubeObject,
  observed: KubeObject | undefined,
  desired: KubeObject,
): Promise<void> => {
  if (options.serverSideApply !== undefined) {
    await applyOnServer(options, parent, observed, desired);
    return;
  }
  if (observed === undefined) {
    await createChild(options, parent, desired);
    return;
  }
  const merged = applyDesired(observed, desired);
  if (isDeepStrictEqual(merged, observed) || observed.metadata.deletionTimestamp !== undefined) return;
  const method = options.methodOf(desired.apiVersion, desired.kind);
  if (method === 'OnDelete') return;
  if (method === 'Recreate') await deleteChild(options, observed);
  else await updateChild(options, merged);
};

const applyOnServer = async (
  options: ChildrenOptions,
  parent: KubeObject,
  observed: KubeObject | undefined,
  desired: KubeObject,
): Promise<void> => {
  const method = options.methodOf(desired.apiVersion, desired.kind);
  if (observed !== undefined && method === 'OnDelete') return;
  // The real one asks by a dry run first; none of the controllers here needs it.
  if (method === 'Recreate') throw new Error('Recreate is not modelled for server-side apply');
  const resource = await options.resourceOf(desired.apiVersion, desired.kind);
  options.faults.beforeChildWrite();
  await options.serverSideApply?.apply(resource, observed, ownedBy(parent, desired));
};

const ownedBy = (parent: KubeObject, child: KubeObject): KubeObject => {
  const owners = child.metadata.ownerReferences ?? [];
  if (owners.some(({ uid }) => uid === parent.metadata.uid)) return child;
  return {
    ...child,
    metadata: { ...child.metadata, ownerReferences: [...owners, controllerRef(parent)] },
  };
};

const createChild = async (
  options: ChildrenOptions,
  parent: KubeObject,
  desired: KubeObject,
): Promise<void> => {
  const resource = await options.resourceOf(desired.apiVersion, desired.kind);
  options.faults.beforeChildWrite();
  try {
    await options.client.create(resource, ownedBy(parent, withLastApplied(desired, desired)));
  } catch (error) {
    // Somebody else's object of that name: nobody hears of it, and it never shows up among the children.
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return;
    throw error;
  }
};

const updateChild = async (options: ChildrenOptions, merged: KubeObject): Promise<void> => {
  const resource = await options.resourceOf(merged.apiVersion, merged.kind);
  options.faults.beforeChildWrite();
  try {
    await options.client.update(resource, merged);
  } catch (error) {
    // Gone, or changed meanwhile: its event brings the next sync.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
};
