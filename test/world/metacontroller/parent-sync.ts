import { isDeepStrictEqual } from 'node:util';

import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { type ChildrenOptions, manageChildren } from './children.ts';
import { type CompositeControllerSpec, finalizerOf } from './composite-controller.ts';
import type { Customize } from './customize.ts';
import type { ResourceKind } from './discovery.ts';
import { Interrupted } from './faults.ts';
import { type CompositeResponse, decodeCompositeResponse } from './hook-response.ts';
import type { Hooks } from './hooks.ts';
import type { Informer } from './informer.ts';
import { matchesSelector } from './label-selector.ts';
import { isConflict, isNotFound, updateLive } from './live-update.ts';
import { describeObject, insertObject, kindKey, type ObjectMap } from './object-map.ts';
import { claimChildren, controllerUidLabel, isMarked } from './ownership.ts';

export interface ParentSyncOptions extends ChildrenOptions {
  client: KubeClient;
  controller: KubeObject;
  spec: CompositeControllerSpec;
  parentKind: ResourceKind;
  children: readonly Informer[];
  hooks: Hooks;
  customize: Customize;
  resyncAfter: (parent: KubeObject, seconds: number) => void;
  /** Aborted: the controller stops, and the sync goes no further. */
  signal: AbortSignal;
}

/** Finalizers of the garbage collector: while one is there, children are its business. */
const collectorFinalizers = ['foregroundDeletion', 'orphan'];

/** One pass over one parent, in the order of the real one; throws whatever ends it early. */
export class ParentSync {
  readonly #options: ParentSyncOptions;
  readonly #finalizer: string;

  constructor(options: ParentSyncOptions) {
    this.#options = options;
    this.#finalizer = finalizerOf(options.controller.metadata.name);
  }

  /** Does the controller look after this parent at all? */
  cares(parent: KubeObject): boolean {
    return this.#hasFinalizer(parent) || this.#selects(parent);
  }

  async run(cached: KubeObject): Promise<void> {
    const { client, parentKind, children, customize, signal } = this.#options;
    const parent = await this.#syncFinalizer(cached);
    if (!this.cares(parent)) return;
    const observed: ObjectMap = {};
    for (const informer of children) {
      observed[kindKey(informer.kind.apiVersion, informer.kind.kind)] = {};
      const claimed = await claimChildren(client, parentKind, parent, informer);
      for (const child of claimed) insertObject(observed, child);
    }
    const related = await customize.relatedTo(parent);
    signal.throwIfAborted();
    const response = await this.#callHook(parent, observed, related);
    signal.throwIfAborted();
    await this.#take(parent, observed, response);
  }

  async #take(before: KubeObject, observed: ObjectMap, response: CompositeResponse): Promise<void> {
    const { resyncAfter } = this.#options;
    if (response.resyncAfterSeconds > 0) resyncAfter(before, response.resyncAfterSeconds);
    const parent = response.finalized ? await this.#removeFinalizer(before) : before;
    const desired: ObjectMap = {};
    for (const child of response.children) insertObject(desired, prepareChild(child, parent));
    let failure: unknown;
    if (this.#managesChildren(parent)) {
      failure = await manageChildren(this.#options, parent, observed, desired).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure instanceof Interrupted) throw failure;
    }
    // The status is written also when a child could not be.
    const written = await this.#writeStatus(parent, response.status);
    if (written && failure instanceof Error)
      throw new Error(`can't reconcile children for ${describeObject(parent)}: ${failure.message}`, {
        cause: failure,
      });
  }

  #hasFinalizer({ metadata }: KubeObject): boolean {
    return metadata.finalizers?.includes(this.#finalizer) ?? false;
  }

  #selects({ metadata }: KubeObject): boolean {
    return matchesSelector(this.#options.spec.parentResource.labelSelector, metadata.labels);
  }

  #managesChildren(parent: KubeObject): boolean {
    const { deletionTimestamp, finalizers = [] } = parent.metadata;
    if (deletionTimestamp === undefined) return true;
    const collected = finalizers.some((finalizer) => collectorFinalizers.includes(finalizer));
    return this.#options.hooks.has('finalize') && this.#hasFinalizer(parent) && !collected;
  }

  async #syncFinalizer(parent: KubeObject): Promise<KubeObject> {
    const wanted = this.#options.hooks.has('finalize');
    if (this.#hasFinalizer(parent) === wanted) return parent;
    if (!wanted) return this.#removeFinalizer(parent);
    if (parent.metadata.deletionTimestamp !== undefined) return parent;
    return this.#changeFinalizers(parent, 'sync', (finalizers) =>
      finalizers.includes(this.#finalizer) ? finalizers : [...finalizers, this.#finalizer],
    );
  }

  #removeFinalizer(parent: KubeObject): Promise<KubeObject> {
    return this.#changeFinalizers(parent, 'remove', (finalizers) =>
      finalizers.filter((finalizer) => finalizer !== this.#finalizer),
    );
  }

  async #changeFinalizers(
    parent: KubeObject,
    verb: 'sync' | 'remove',
    change: (finalizers: string[]) => string[],
  ): Promise<KubeObject> {
    const { client, parentKind } = this.#options;
    try {
      return await updateLive(client, parentKind.resource, parent, (live) => {
        const before = live.metadata.finalizers ?? [];
        const finalizers = change(before);
        if (finalizers.length === before.length) return undefined;
        return { ...live, metadata: { ...live.metadata, finalizers } };
      });
    } catch (error) {
      throw new Error(`can't ${verb} finalizer for ${describeObject(parent)}: ${String(error)}`, {
        cause: error,
      });
    }
  }

  async #callHook(parent: KubeObject, children: ObjectMap, related: ObjectMap): Promise<CompositeResponse> {
    const { hooks, controller } = this.#options;
    const ending = parent.metadata.deletionTimestamp !== undefined || !this.#selects(parent);
    const finalizing = ending && hooks.has('finalize');
    const hook = finalizing ? 'finalize' : 'sync';
    try {
      const body = await hooks.call(hook, parent, { controller, parent, children, related, finalizing });
      return decodeCompositeResponse(hook, body);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // The kind of the error must survive: a 429 is no failure.
      error.message = `sync hook failed for ${describeObject(parent)}: ${hook} hook failed (version=v2): ${error.message}`;
      throw error;
    }
  }

  /** False when the parent is gone or goes on changing: then nothing else is worth telling either. */
  async #writeStatus(parent: KubeObject, answered: Record<string, unknown>): Promise<boolean> {
    const { client, parentKind, faults } = this.#options;
    const status = { ...answered, observedGeneration: parent.metadata.generation };
    const change = (live: KubeObject): KubeObject | undefined => {
      if (isDeepStrictEqual(live.status, status)) return undefined;
      faults.beforeStatusWrite();
      return { ...live, status };
    };
    try {
      await updateLive(client, parentKind.resource, parent, change, 'status');
      return true;
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return false;
      if (error instanceof Error && !(error instanceof Interrupted))
        error.message = `can't update status for ${describeObject(parent)}: ${error.message}`;
      throw error;
    }
  }
}

/** Namespace and `controller-uid` label as Metacontroller fills them in. */
const prepareChild = (child: KubeObject, parent: KubeObject): KubeObject => {
  const { namespace = '', labels } = child.metadata;
  const home = namespace === '' ? parent.metadata.namespace : namespace;
  const prepared = {
    ...child,
    metadata: {
      ...child.metadata,
      ...(home === undefined ? {} : { namespace: home }),
      labels: { [controllerUidLabel]: parent.metadata.uid ?? '', ...labels },
    },
  };
  if (isMarked(prepared, parent)) return prepared;
  throw new Error(`labels on desired child ${describeObject(prepared)} don't match parent selector`);
};
