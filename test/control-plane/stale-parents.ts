import type { KubeObject } from '../world/kubernetes/client.ts';
import type { FaultInjector } from '../world/metacontroller/faults.ts';

/** Puts the version before the newest one into a call, as a cache that lags behind does. */
export class StaleParents {
  readonly #faults: FaultInjector;
  readonly #seen = new Map<string, { newest: KubeObject; before?: KubeObject }>();

  constructor(faults: FaultInjector) {
    this.#faults = faults;
  }

  apply<T extends { readonly parent: KubeObject }>(body: T): T {
    const key = body.parent.metadata.uid ?? '';
    const known = this.#seen.get(key);
    const isNewer = known?.newest.metadata.resourceVersion !== body.parent.metadata.resourceVersion;
    const versions = isNewer
      ? { newest: body.parent, ...(known === undefined ? {} : { before: known.newest }) }
      : known;
    if (versions === undefined) return body;
    this.#seen.set(key, versions);
    if (versions.before === undefined || !this.#faults.staleParentNow(key)) return body;
    return { ...body, parent: versions.before };
  }
}
