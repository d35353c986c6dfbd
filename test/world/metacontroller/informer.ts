import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeClient, KubeObject, WatchEvent } from '../kubernetes/client.ts';
import { atMost } from './at-most.ts';
import type { ResourceKind } from './discovery.ts';
import { objectKey } from './object-map.ts';

const firstRelistDelayMs = 50;
const lastRelistDelayMs = 2_000;
/** A stop does not wait longer for an API server that does not answer. */
const stopMs = 1_000;
/** A watch that ends sooner than this counts as failed. */
const shortestWatchMs = 1_000;

/**
 * One change: only `current` when the object is new, only `previous` when it is gone, the same object twice when the
 * cache is replayed. An informer waits for each handler before it tells anybody of the next change.
 */
export type InformerHandler = (
  previous: KubeObject | undefined,
  current: KubeObject | undefined,
) => Promise<void>;

/** A cache of all objects of one kind in all namespaces, kept by list and watch. Lists again whenever a watch fails. */
export class Informer {
  readonly kind: ResourceKind;
  readonly #client: KubeClient;
  readonly #objects = new Map<string, KubeObject>();
  readonly #older = new Map<string, KubeObject>();
  readonly #handlers = new Set<InformerHandler>();
  readonly #abort = new AbortController();
  readonly #firstList = Promise.withResolvers<undefined>();
  readonly #running: Promise<void>;
  #notifications: Promise<void> = Promise.resolve();
  #synced = false;

  constructor(client: KubeClient, kind: ResourceKind) {
    this.#client = client;
    this.kind = kind;
    this.#running = this.#run(this.#abort.signal);
  }

  /** The first list has arrived. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Resolves after the first list, or when the informer is stopped. */
  whenSynced(): Promise<void> {
    return this.#firstList.promise;
  }

  list(namespace?: string): KubeObject[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  /** The same object before its newest change. */
  older(key: string): KubeObject | undefined {
    return this.#older.get(key);
  }

  /** The handler hears at once of everything that is cached; the result ends the subscription. */
  subscribe(handler: InformerHandler): () => void {
    this.#handlers.add(handler);
    this.replay(handler);
    return () => void this.#handlers.delete(handler);
  }

  replay(handler: InformerHandler): void {
    for (const object of this.#objects.values()) this.#enqueue([handler], object, object);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#handlers.clear();
    this.#firstList.resolve(undefined);
    await atMost(stopMs, this.#running);
  }

  async #run(signal: AbortSignal): Promise<void> {
    let delayMs = firstRelistDelayMs;
    while (!signal.aborted) {
      try {
        const { items, resourceVersion } = await this.#client.list(this.kind.resource);
        this.#replace(items);
        delayMs = firstRelistDelayMs;
        await this.#follow(resourceVersion, signal);
      } catch {
        // The API server is away, or no longer has this version: list again after a while.
      }
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      delayMs = Math.min(delayMs * 2, lastRelistDelayMs);
    }
  }

  async #follow(listed: string, signal: AbortSignal): Promise<void> {
    let resourceVersion = listed;
    while (!signal.aborted) {
      const began = Date.now();
      for await (const event of this.#client.watch(this.kind.resource, { resourceVersion, signal })) {
        resourceVersion = this.#take(event) ?? resourceVersion;
      }
      if (Date.now() - began < shortestWatchMs) throw new Error('the watch ended at once');
    }
  }

  #take({ type, object }: WatchEvent): string | undefined {
    if (type === 'ERROR') throw new Error('the watch failed');
    if (type === 'DELETED') this.#remove(object);
    else if (type !== 'BOOKMARK') this.#store(object);
    return object.metadata.resourceVersion;
  }

  #replace(items: readonly KubeObject[]): void {
    const keys = new Set(items.map(objectKey));
    for (const object of this.list()) if (!keys.has(objectKey(object))) this.#remove(object);
    for (const item of items) this.#store(item);
    this.#synced = true;
    this.#firstList.resolve(undefined);
  }

  #store(item: KubeObject): void {
    // Items of a list of a core kind do not say what they are.
    const object = { ...item, apiVersion: this.kind.apiVersion, kind: this.kind.kind };
    const key = objectKey(object);
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#rememberOlder(key, previous, object);
    this.#enqueue(this.#handlers, previous, object);
  }

  #rememberOlder(key: string, previous: KubeObject | undefined, object: KubeObject): void {
    if (previous === undefined || previous.metadata.uid !== object.metadata.uid) this.#older.delete(key);
    else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion)
      this.#older.set(key, previous);
  }

  #remove(object: KubeObject): void {
    const key = objectKey(object);
    const previous = this.#objects.get(key) ?? object;
    this.#objects.delete(key);
    this.#older.delete(key);
    this.#enqueue(this.#handlers, previous, undefined);
  }

  #enqueue(
    handlers: Iterable<InformerHandler>,
    previous: KubeObject | undefined,
    current: KubeObject | undefined,
  ): void {
    for (const handler of handlers)
      this.#notifications = this.#notifications.then(() => handler(previous, current)).catch(() => undefined);
  }
}
