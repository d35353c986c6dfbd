import type { KubeClient, KubeObject, Resource } from '../kubernetes/client.ts';
import { atMost } from './at-most.ts';
import { type Authorizations, authorizationsOf } from './authorization.ts';
import type { UpdateMethod } from './children.ts';
import {
  type CompositeControllerSpec,
  controllerInRequests,
  parseCompositeController,
} from './composite-controller.ts';
import { Customize, RelatedNotSynced } from './customize.ts';
import type { Discovery, ResourceKind } from './discovery.ts';
import type { EventRecorder } from './event-recorder.ts';
import { type FaultInjector, Interrupted } from './faults.ts';
import { HookPanic } from './hook-response.ts';
import { type HookCall, Hooks, TooManyRequests } from './hooks.ts';
import type { Informer, InformerHandler } from './informer.ts';
import type { Informers } from './informers.ts';
import { objectKey } from './object-map.ts';
import { controllerOf } from './ownership.ts';
import { ParentSync } from './parent-sync.ts';
import type { ServerSideApply } from './server-side-apply.ts';
import { WorkQueue } from './work-queue.ts';

/** The cache is replayed at least this often (`--cache-flush-interval`), so no longer resync period has an effect. */
const longestResyncSeconds = 1_800;
/** A stop waits no longer than this for syncs that are under way; their hook calls are aborted first. */
const stopMs = 2_000;

/** What all controllers of one process share. */
export interface ControllerProcess {
  client: KubeClient;
  discovery: Discovery;
  informers: Informers;
  events: EventRecorder;
  faults: FaultInjector;
  /** undefined: dynamic apply. */
  serverSideApply: ServerSideApply | undefined;
  workers: number;
  maxBackoffMs: number;
  onCall: (call: HookCall) => void;
  onPanic: (panic: HookPanic) => void;
}

interface Kinds {
  parent: ResourceKind;
  children: ResourceKind[];
}

/** The parent's CRD has no subresource `status`: nothing can be done until somebody changes that. */
export class StatusSubresourceMissing extends Error {}

/** Runs one CompositeController: watches parents, children and related objects, and syncs each parent that something happened to. */
export class ControllerLoop {
  readonly controller: KubeObject;
  readonly #process: ControllerProcess;
  readonly #spec: CompositeControllerSpec;
  readonly #kinds: Kinds;
  readonly #parents: Informer;
  readonly #children: readonly Informer[];
  readonly #hooks: Hooks;
  readonly #customize: Customize;
  readonly #sync: ParentSync;
  readonly #queue: WorkQueue;
  readonly #abort = new AbortController();
  readonly #unsubscribes: (() => void)[] = [];
  #resyncTimer: NodeJS.Timeout | undefined;

  /** Throws when the spec is not one that is modelled, or a kind or a Secret is not there. */
  static async start(process: ControllerProcess, controller: KubeObject): Promise<ControllerLoop> {
    const spec = parseCompositeController(controller);
    const { apiVersion, resource } = spec.parentResource;
    const parent = await process.discovery.ofResource(apiVersion, resource);
    if (!parent.hasStatus) throw new StatusSubresourceMissing(`${resource} has no subresource status`);
    const children: ResourceKind[] = [];
    for (const child of spec.childResources)
      children.push(await process.discovery.ofResource(child.apiVersion, child.resource));
    const authorizations = await authorizationsOf(process.client, spec.hooks);
    const loop = new ControllerLoop(process, controller, spec, {
      kinds: { parent, children },
      authorizations,
    });
    void loop.#begin();
    return loop;
  }

  private constructor(
    process: ControllerProcess,
    controller: KubeObject,
    spec: CompositeControllerSpec,
    { kinds, authorizations }: { kinds: Kinds; authorizations: Authorizations },
  ) {
    const { informers, faults, onCall, workers, maxBackoffMs } = process;
    const { signal } = this.#abort;
    this.controller = controller;
    this.#process = process;
    this.#spec = spec;
    this.#kinds = kinds;
    this.#parents = informers.acquire(kinds.parent);
    this.#children = kinds.children.map((kind) => informers.acquire(kind));
    const { name } = controller.metadata;
    this.#hooks = new Hooks({ controller: name, spec: spec.hooks, authorizations, faults, signal, onCall });
    this.#customize = this.#newCustomize();
    this.#sync = this.#newParentSync();
    this.#queue = new WorkQueue({ workers, maxBackoffMs, work: (key) => this.#work(key) });
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    clearInterval(this.#resyncTimer);
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await atMost(stopMs, this.#queue.shutDown());
    const informers = [this.#parents, ...this.#children];
    await Promise.all([
      atMost(stopMs, this.#customize.stop()),
      ...informers.map((informer) => this.#process.informers.release(informer)),
    ]);
    this.#hooks.close();
  }

  #newCustomize(): Customize {
    return new Customize({
      controller: controllerInRequests(this.controller),
      hooks: this.#hooks,
      discovery: this.#process.discovery,
      informers: this.#process.informers,
      parents: () => this.#parents.list(),
      enqueue: (parent) => this.#enqueue(parent),
    });
  }

  #newParentSync(): ParentSync {
    return new ParentSync({
      client: this.#process.client,
      faults: this.#process.faults,
      serverSideApply: this.#process.serverSideApply,
      controller: controllerInRequests(this.controller),
      spec: this.#spec,
      parentKind: this.#kinds.parent,
      children: this.#children,
      hooks: this.#hooks,
      customize: this.#customize,
      resourceOf: (apiVersion, kind) => this.#resourceOf(apiVersion, kind),
      methodOf: (apiVersion, kind) => this.#methodOf(apiVersion, kind),
      resyncAfter: (parent, seconds) => this.#queue.addAfter(objectKey(parent), seconds * 1_000),
      signal: this.#abort.signal,
    });
  }

  async #begin(): Promise<void> {
    await Promise.all([this.#parents, ...this.#children].map((informer) => informer.whenSynced()));
    if (this.#abort.signal.aborted) return;
    const onParent: InformerHandler = (previous, current) => {
      this.#onParent(previous, current);
      return Promise.resolve();
    };
    const onChild: InformerHandler = (previous, current) => {
      this.#onChild(previous, current);
      return Promise.resolve();
    };
    this.#unsubscribes.push(this.#parents.subscribe(onParent));
    for (const informer of this.#children) this.#unsubscribes.push(informer.subscribe(onChild));
    const seconds = Math.min(this.#spec.resyncPeriodSeconds ?? longestResyncSeconds, longestResyncSeconds);
    this.#resyncTimer = setInterval(() => this.#parents.replay(onParent), Math.max(seconds, 1) * 1_000);
    this.#queue.start();
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<Resource> {
    const declared = this.#kinds.children.find(
      (child) => child.apiVersion === apiVersion && child.kind === kind,
    );
    const found = declared ?? (await this.#process.discovery.ofKind(apiVersion, kind));
    return found.resource;
  }

  #methodOf(apiVersion: string, kind: string): UpdateMethod {
    const index = this.#kinds.children.findIndex((c) => c.apiVersion === apiVersion && c.kind === kind);
    return this.#spec.childResources[index]?.updateStrategy.method ?? 'OnDelete';
  }

  #enqueue(parent: KubeObject): void {
    if (this.#sync.cares(parent)) this.#queue.add(objectKey(parent));
  }

  #onParent(previous: KubeObject | undefined, current: KubeObject | undefined): void {
    const parent = current ?? previous;
    if (parent === undefined) return;
    const ignores = this.#spec.parentResource.ignoreStatusChanges ?? false;
    if (ignores && previous !== undefined && current !== undefined && onlyStatusChanged(previous, current))
      return;
    this.#enqueue(parent);
  }

  #onChild(previous: KubeObject | undefined, current: KubeObject | undefined): void {
    if (previous?.metadata.resourceVersion === current?.metadata.resourceVersion) return;
    const child = current ?? previous;
    const parent = child === undefined ? undefined : this.#parentOf(child);
    if (parent !== undefined) this.#enqueue(parent);
  }

  /** By its controller reference, or, for an orphan, by the label that lets a parent adopt it. */
  #parentOf(child: KubeObject): KubeObject | undefined {
    const { kind, resource } = this.#kinds.parent;
    const owner = controllerOf(child);
    if (owner === undefined) {
      const uid = child.metadata.labels?.['controller-uid'];
      return this.#parents.list().find((parent) => parent.metadata.uid === uid);
    }
    if (owner.kind !== kind || owner.apiVersion.split('/')[0] !== resource.group) return undefined;
    const namespace = this.#kinds.parent.namespaced ? child.metadata.namespace : undefined;
    const parent = this.#parents.get(namespace === undefined ? owner.name : `${namespace}/${owner.name}`);
    return parent?.metadata.uid === owner.uid ? parent : undefined;
  }

  async #work(key: string): Promise<void> {
    const current = this.#parents.get(key);
    if (current === undefined) {
      this.#queue.forget(key);
      return;
    }
    const older = this.#process.faults.staleParentNow(key) ? this.#parents.older(key) : undefined;
    // The cache was behind: the event that brings it up to date wakes the parent again.
    if (older !== undefined) this.#queue.add(key);
    const parent = older ?? current;
    try {
      await this.#sync.run(parent);
      this.#queue.forget(key);
    } catch (error) {
      this.#retry(key, parent, error);
    }
  }

  #retry(key: string, parent: KubeObject, error: unknown): void {
    if (this.#abort.signal.aborted) return;
    if (error instanceof TooManyRequests) {
      this.#queue.addAfter(key, error.afterSeconds * 1_000);
      return;
    }
    this.#queue.addRateLimited(key);
    if (error instanceof RelatedNotSynced || error instanceof Interrupted) return;
    if (error instanceof HookPanic) {
      // The real process is gone before it could tell.
      this.#process.onPanic(error);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    this.#process.events.record(parent, 'Warning', 'SyncError', `Sync error: ${message}`);
  }
}

const onlyStatusChanged = (previous: KubeObject, current: KubeObject): boolean => {
  const watched = ({ metadata: { generation, labels, annotations } }: KubeObject): string =>
    JSON.stringify([generation, labels, annotations]);
  const deleting = current.metadata.deletionTimestamp !== undefined;
  return previous !== current && !deleting && watched(previous) === watched(current);
};
