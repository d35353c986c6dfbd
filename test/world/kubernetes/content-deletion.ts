import { cleanupFinalizer, readDefinition } from './definition.ts';
import { withFinalizers } from './deletion.ts';
import type { ObjectLifecycle } from './lifecycle.ts';
import type { ResourceTypes } from './resource-type.ts';
import type { Change, ObjectStore, Stored } from './store.ts';
import { WorkQueue } from './work-queue.ts';

interface ContentDeletionOptions {
  readonly store: ObjectStore;
  readonly types: ResourceTypes;
  readonly lifecycle: ObjectLifecycle;
  /** Milliseconds between two kinds. */
  readonly pauseMs: () => number;
}

/**
 * Empties a deleted Namespace or CustomResourceDefinition of its objects, then lets it go. The real one asks the API
 * server for one kind after the other, too; in between other controllers act.
 */
export class ContentDeletion {
  readonly #store: ObjectStore;
  readonly #types: ResourceTypes;
  readonly #lifecycle: ObjectLifecycle;
  readonly #pauseMs: () => number;
  readonly #terminating = new Set<string>();
  readonly #pauses = new Map<string, NodeJS.Timeout>();
  readonly #queue = new WorkQueue((uid) => this.#process(uid));

  constructor({ store, types, lifecycle, pauseMs }: ContentDeletionOptions) {
    this.#store = store;
    this.#types = types;
    this.#lifecycle = lifecycle;
    this.#pauseMs = pauseMs;
    store.subscribe((change) => this.#notice(change));
  }

  stop(): void {
    this.#queue.stop();
    for (const pause of this.#pauses.values()) clearTimeout(pause);
  }

  #notice({ event, object }: Change): void {
    const { uid = '', deletionTimestamp } = object.metadata;
    const isContainer = object.kind === 'Namespace' || object.kind === 'CustomResourceDefinition';
    if (isContainer && event === 'DELETED') this.#terminating.delete(uid);
    else if (isContainer && deletionTimestamp !== undefined) this.#terminating.add(uid);
    for (const container of this.#terminating) this.#queue.add(container);
  }

  #process(uid: string): void {
    const container = this.#store.byUid(uid);
    if (container?.object.metadata.deletionTimestamp === undefined) return;
    const content = this.#contentOf(container);
    if (content.length === 0) this.#release(container);
    else if (!this.#pauses.has(uid)) this.#deleteOneKind(uid, content);
  }

  /** In an order that nobody may count on; here what has owners goes first, the hardest for whoever would make it again. */
  #deleteOneKind(uid: string, content: readonly Stored[]): void {
    const pending = content.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
    const owned = pending.find(({ object }) => object.metadata.ownerReferences !== undefined);
    const kind = (owned ?? pending[0])?.type;
    if (kind === undefined) return;
    const resume = (): void => {
      this.#pauses.delete(uid);
      this.#queue.add(uid);
    };
    this.#pauses.set(uid, setTimeout(resume, this.#pauseMs()));
    for (const { type, object } of pending)
      if (type === kind) this.#lifecycle.delete(type, object, { propagationPolicy: 'Background' });
  }

  #contentOf({ object }: Stored): Stored[] {
    if (object.kind === 'Namespace') return this.#store.inNamespace(object.metadata.name);
    const type = this.#types.get(readDefinition(object));
    return type === undefined ? [] : this.#store.list(type).map((item) => ({ type, object: item }));
  }

  #release({ type, object }: Stored): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
    const isHolding =
      object.kind === 'Namespace'
        ? object.spec?.['finalizers'] !== undefined
        : finalizers.length < (object.metadata.finalizers ?? []).length;
    // Written once: a container with finalizers of others stays, and must not be written again and again.
    if (!isHolding) return;
    const released =
      object.kind === 'Namespace' ? { ...object, spec: {} } : withFinalizers(object, finalizers);
    this.#lifecycle.overwrite(type, released);
  }
}
