import type { KubeObject, OwnerReference } from './client.ts';
import { foregroundFinalizer, orphanFinalizer, withFinalizers, type PropagationPolicy } from './deletion.ts';
import type { ObjectLifecycle } from './lifecycle.ts';
import type { ResourceTypes } from './resource-type.ts';
import type { Change, ObjectStore, Stored } from './store.ts';
import { WorkQueue } from './work-queue.ts';

/** Deletes what its owners left behind, and carries out foreground and orphan deletion. */
export class GarbageCollector {
  readonly #store: ObjectStore;
  readonly #types: ResourceTypes;
  readonly #lifecycle: ObjectLifecycle;
  readonly #queue = new WorkQueue((uid) => this.#process(uid));

  constructor(store: ObjectStore, types: ResourceTypes, lifecycle: ObjectLifecycle) {
    this.#store = store;
    this.#types = types;
    this.#lifecycle = lifecycle;
    store.subscribe((change) => this.#notice(change));
  }

  stop(): void {
    this.#queue.stop();
  }

  #notice({ event, object, previous }: Change): void {
    const { uid = '', ownerReferences = [], deletionTimestamp } = object.metadata;
    const formerOwners = previous?.metadata.ownerReferences ?? [];
    // An owner may be waiting for just this dependent.
    for (const owner of formerOwners) this.#queue.add(owner.uid);
    if (event === 'DELETED')
      for (const dependent of this.#store.dependents(uid))
        this.#queue.add(dependent.object.metadata.uid ?? '');
    else if (ownerReferences.length > 0 || deletionTimestamp !== undefined) this.#queue.add(uid);
  }

  #process(uid: string): void {
    const stored = this.#store.byUid(uid);
    if (stored === undefined) return;
    if (stored.object.metadata.deletionTimestamp === undefined) this.#collect(stored);
    else this.#advanceDeletion(stored);
  }

  #advanceDeletion({ type, object }: Stored): void {
    const { uid = '', finalizers = [] } = object.metadata;
    const dependents = this.#store.dependents(uid);
    if (finalizers.includes(orphanFinalizer)) {
      for (const dependent of dependents) this.#dropOwners(dependent, (owner) => owner.uid === uid);
      this.#lifecycle.overwrite(
        type,
        withFinalizers(
          object,
          finalizers.filter((name) => name !== orphanFinalizer),
        ),
      );
      return;
    }
    if (!finalizers.includes(foregroundFinalizer)) return;
    const blocking = dependents.filter((dependent) =>
      ownersOf(dependent.object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
    if (blocking.length === 0)
      this.#lifecycle.overwrite(
        type,
        withFinalizers(
          object,
          finalizers.filter((name) => name !== foregroundFinalizer),
        ),
      );
    // All of them go at once; only those that block it are waited for.
    for (const dependent of dependents)
      if (dependent.object.metadata.deletionTimestamp === undefined) this.#collect(dependent);
  }

  /** Deletes an object without a living owner; takes dead owners off one that has a living one. */
  #collect(stored: Stored): void {
    const owners = ownersOf(stored.object).map((owner) => ({ owner, state: this.#stateOf(owner, stored) }));
    if (owners.length === 0 || owners.every(({ state }) => state === 'alive')) return;
    const alive = owners.filter(({ state }) => state === 'alive').map(({ owner }) => owner);
    if (alive.length > 0) {
      this.#dropOwners(stored, (owner) => !alive.includes(owner));
      return;
    }
    const { uid = '', finalizers = [] } = stored.object.metadata;
    const isAwaited = owners.some(({ state }) => state === 'waiting');
    const inForeground = isAwaited && this.#store.dependents(uid).length > 0;
    const propagationPolicy = inForeground ? 'Foreground' : ownPolicy(finalizers);
    this.#lifecycle.delete(stored.type, stored.object, { propagationPolicy });
  }

  #stateOf(reference: OwnerReference, { object }: Stored): 'alive' | 'waiting' | 'absent' {
    const type = this.#types.ofKind(reference.apiVersion, reference.kind);
    // What cannot be looked up is not known to be gone.
    if (type === undefined) return 'alive';
    const namespace = type.isNamespaced ? object.metadata.namespace : undefined;
    const owner = this.#store.get(type, namespace, reference.name);
    if (owner?.metadata.uid !== reference.uid) return 'absent';
    const isWaiting =
      owner.metadata.deletionTimestamp !== undefined &&
      owner.metadata.finalizers?.includes(foregroundFinalizer) === true;
    return isWaiting ? 'waiting' : 'alive';
  }

  #dropOwners({ type, object }: Stored, isDropped: (owner: OwnerReference) => boolean): void {
    const metadata = { ...object.metadata };
    const kept = ownersOf(object).filter((owner) => !isDropped(owner));
    if (kept.length === 0) delete metadata.ownerReferences;
    else metadata.ownerReferences = kept;
    this.#lifecycle.overwrite(type, { ...object, metadata });
  }
}

const ownersOf = ({ metadata }: KubeObject): OwnerReference[] => metadata.ownerReferences ?? [];

function ownPolicy(finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}
