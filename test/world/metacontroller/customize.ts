import type { KubeObject } from '../kubernetes/client.ts';
import type { Discovery } from './discovery.ts';
import { decodeCustomizeResponse, type RelatedRule } from './hook-response.ts';
import type { Hooks } from './hooks.ts';
import type { Informer, InformerHandler } from './informer.ts';
import type { Informers } from './informers.ts';
import { matchesSelector } from './label-selector.ts';
import { insertObject, kindKey, type ObjectMap } from './object-map.ts';

/** An answer counts for this long, for one UID and generation: rules may depend on the spec alone. */
const cacheMs = 20 * 60_000;

/** The cache of a related kind is still empty: the sync comes again without an event. */
export class RelatedNotSynced extends Error {}

export interface CustomizeOptions {
  /** The CompositeController as it goes into the request. */
  controller: KubeObject;
  hooks: Hooks;
  discovery: Discovery;
  informers: Informers;
  /** Every parent in the cache. */
  parents: () => KubeObject[];
  enqueue: (parent: KubeObject) => void;
}

/** Asks the customize hook which objects a parent is related to, finds them, and wakes the parent when one changes. */
export class Customize {
  readonly #options: CustomizeOptions;
  readonly #answers = new Map<string, { rules: RelatedRule[]; expiresAt: number }>();
  readonly #related = new Map<string, Promise<{ informer: Informer; unsubscribe: () => void }>>();

  constructor(options: CustomizeOptions) {
    this.#options = options;
  }

  /** An entry for each rule, also where nothing matches; nothing at all without a customize hook. */
  async relatedTo(parent: KubeObject): Promise<ObjectMap> {
    const related: ObjectMap = {};
    for (const rule of await this.#rules(parent)) {
      const { informer } = await this.#informerOf(rule);
      if (!informer.synced) throw new RelatedNotSynced(rule.resource);
      related[kindKey(informer.kind.apiVersion, informer.kind.kind)] ??= {};
      for (const object of informer.list()) if (matches(rule, object)) insertObject(related, object);
    }
    return related;
  }

  async stop(): Promise<void> {
    const used = await Promise.all([...this.#related.values()].map((entry) => entry.catch(() => undefined)));
    for (const entry of used) {
      entry?.unsubscribe();
      if (entry !== undefined) await this.#options.informers.release(entry.informer);
    }
  }

  async #rules(parent: KubeObject): Promise<RelatedRule[]> {
    const { hooks, controller } = this.#options;
    if (!hooks.has('customize')) return [];
    const key = `${parent.metadata.uid ?? ''}/${parent.metadata.generation ?? 0}`;
    const cached = this.#answers.get(key);
    if (cached !== undefined && cached.expiresAt > Date.now()) return cached.rules;
    const rules = decodeCustomizeResponse(await hooks.call('customize', parent, { controller, parent }));
    this.#answers.set(key, { rules, expiresAt: Date.now() + cacheMs });
    return rules;
  }

  #informerOf(rule: RelatedRule): Promise<{ informer: Informer; unsubscribe: () => void }> {
    const key = `${rule.apiVersion}/${rule.resource}`;
    const known = this.#related.get(key);
    if (known !== undefined) return known;
    const starting = this.#startInformer(rule);
    this.#related.set(key, starting);
    // A kind that does not exist yet is looked for again next time.
    starting.catch(() => this.#related.delete(key));
    return starting;
  }

  async #startInformer(rule: RelatedRule): Promise<{ informer: Informer; unsubscribe: () => void }> {
    const kind = await this.#options.discovery.ofResource(rule.apiVersion, rule.resource);
    const informer = this.#options.informers.acquire(kind);
    const unsubscribe = informer.subscribe(this.#onRelated(kind.apiVersion, kind.resource.plural));
    return { informer, unsubscribe };
  }

  #onRelated(apiVersion: string, resource: string): InformerHandler {
    return async (previous, current) => {
      if (previous?.metadata.resourceVersion === current?.metadata.resourceVersion) return;
      const changed = [previous, current].filter((object) => object !== undefined);
      // One parent after the other and inline, as the real one does: a slow customize hook holds up every event of this kind.
      for (const parent of this.#options.parents()) {
        const rules = await this.#rules(parent).catch(() => []);
        const mine = rules.filter((rule) => rule.apiVersion === apiVersion && rule.resource === resource);
        if (mine.some((rule) => changed.some((object) => matches(rule, object))))
          this.#options.enqueue(parent);
      }
    };
  }
}

const matches = ({ names, namespace, labelSelector }: RelatedRule, { metadata }: KubeObject): boolean => {
  const named = names == null || names.length === 0 || names.includes(metadata.name);
  const placed =
    namespace == null ||
    namespace === '' ||
    metadata.namespace === undefined ||
    metadata.namespace === namespace;
  return named && placed && matchesSelector(labelSelector ?? undefined, metadata.labels);
};
