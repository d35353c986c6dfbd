import type { KubeClient } from '../kubernetes/client.ts';
import type { ResourceKind } from './discovery.ts';
import { Informer } from './informer.ts';

/** One informer for each resource in the whole process, however many controllers use it. */
export class Informers {
  readonly #client: KubeClient;
  readonly #shared = new Map<string, { informer: Informer; users: number }>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  acquire(kind: ResourceKind): Informer {
    const key = `${kind.apiVersion}/${kind.resource.plural}`;
    const entry = this.#shared.get(key) ?? { informer: new Informer(this.#client, kind), users: 0 };
    entry.users += 1;
    this.#shared.set(key, entry);
    return entry.informer;
  }

  /** Stops the informer with its last user. */
  async release(informer: Informer): Promise<void> {
    for (const [key, entry] of this.#shared) {
      if (entry.informer !== informer) continue;
      entry.users -= 1;
      if (entry.users > 0) return;
      this.#shared.delete(key);
      await informer.stop();
    }
  }
}
