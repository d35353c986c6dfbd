import type { KubeObject } from './client.ts';
import { typeKey, type ResourceType } from './resource-type.ts';

export interface Stored {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

export interface Change extends Stored {
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** What was stored before; undefined for ADDED. */
  readonly previous: KubeObject | undefined;
  readonly version: number;
}

/** All objects, in memory. Stored objects are never changed in place: every write stores a new one. */
export class ObjectStore {
  readonly #objects = new Map<string, Map<string, Stored>>();
  readonly #byUid = new Map<string, Stored>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: Change) => void>();
  #version = 1;

  /** The newest resourceVersion; one counter for everything. */
  get version(): number {
    return this.#version;
  }

  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#objects.get(typeKey(type))?.get(objectKey(namespace, name))?.object;
  }

  /** In the order of namespace and name; `namespace` undefined: all. */
  list(type: ResourceType, namespace?: string): KubeObject[] {
    const all = [...(this.#objects.get(typeKey(type)) ?? [])];
    const inScope =
      namespace === undefined ? all : all.filter(([, { object }]) => object.metadata.namespace === namespace);
    return inScope.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { object }]) => object);
  }

  inNamespace(namespace: string): Stored[] {
    return [...this.#byUid.values()].filter(({ object }) => object.metadata.namespace === namespace);
  }

  byUid(uid: string): Stored | undefined {
    return this.#byUid.get(uid);
  }

  /** Objects with an ownerReference to this UID. */
  dependents(uid: string): Stored[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#byUid.get(dependent) ?? []);
  }

  /** Stores the object under the next resourceVersion. */
  put(type: ResourceType, object: KubeObject): KubeObject {
    const { namespace, name } = object.metadata;
    const previous = this.get(type, namespace, name);
    const stored = this.#withNextVersion(object);
    if (previous !== undefined) this.#forget(type, previous);
    this.#remember({ type, object: stored });
    this.#emit({ type, object: stored, previous, event: previous === undefined ? 'ADDED' : 'MODIFIED' });
    return stored;
  }

  remove(type: ResourceType, object: KubeObject): void {
    const { namespace, name } = object.metadata;
    const previous = this.get(type, namespace, name);
    if (previous === undefined) return;
    this.#forget(type, previous);
    this.#emit({ type, object: this.#withNextVersion(previous), previous, event: 'DELETED' });
  }

  /** The listener is called synchronously after each change. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #withNextVersion(object: KubeObject): KubeObject {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #remember(stored: Stored): void {
    const { uid = '', namespace, name, ownerReferences = [] } = stored.object.metadata;
    const key = typeKey(stored.type);
    const ofType = this.#objects.get(key) ?? new Map<string, Stored>();
    this.#objects.set(key, ofType.set(objectKey(namespace, name), stored));
    this.#byUid.set(uid, stored);
    for (const owner of ownerReferences) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
  }

  #forget(type: ResourceType, object: KubeObject): void {
    const { uid = '', namespace, name, ownerReferences = [] } = object.metadata;
    this.#objects.get(typeKey(type))?.delete(objectKey(namespace, name));
    this.#byUid.delete(uid);
    for (const owner of ownerReferences) this.#dependents.get(owner.uid)?.delete(uid);
  }

  #emit(change: Omit<Change, 'version'>): void {
    for (const listener of [...this.#listeners]) listener({ ...change, version: this.#version });
  }
}

const objectKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
