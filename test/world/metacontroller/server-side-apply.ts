import type { KubeClient, KubeObject, Resource } from '../kubernetes/client.ts';
import { isConflict, isNotFound } from './live-update.ts';
import { lastAppliedAnnotation, systemFields } from './three-way-merge.ts';

/** How children are written: by a merge here and PUT, or by apply patches (the flag `--apply-strategy`). */
export type ApplyStrategy = 'dynamic-apply' | 'server-side-apply';

/** The default of `--apply-strategy-ssa-field-manager`. */
const fieldManager = 'metacontroller';

interface Applied {
  readonly desired: string;
  readonly uid: string | undefined;
  readonly version: string;
}

/**
 * Children by server-side apply. What was applied last is remembered in memory alone: a child is applied again when
 * something else is desired, when its generation is another one, or after a restart; never for its labels' sake.
 */
export class ServerSideApply {
  readonly #client: KubeClient;
  readonly #applied = new Map<string, Applied>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** `desired` with its owner reference; an object of that name that nobody controls is taken over. */
  async apply(resource: Resource, observed: KubeObject | undefined, desired: KubeObject): Promise<void> {
    if (observed?.metadata.deletionTimestamp !== undefined) return;
    const wanted = withoutSystemFields(desired);
    const text = JSON.stringify(wanted);
    if (observed !== undefined && this.#isApplied(observed, text)) return;
    if (observed !== undefined && !(await this.#removeLastApplied(resource, observed))) return;
    try {
      const written = await this.#client.applyPatch(resource, wanted, { fieldManager, force: true });
      this.#applied.set(keyOf(wanted), { desired: text, ...stateOf(written) });
    } catch (error) {
      // Changed meanwhile: its event brings the next sync.
      if (!isConflict(error)) throw error;
    }
  }

  forget(child: KubeObject): void {
    this.#applied.delete(keyOf(child));
  }

  #isApplied(observed: KubeObject, desired: string): boolean {
    const last = this.#applied.get(keyOf(observed));
    const { uid, version } = stateOf(observed);
    return last?.desired === desired && last.uid === uid && last.version === version;
  }

  /** Of a child from the days of dynamic apply. False: it is gone. */
  async #removeLastApplied(resource: Resource, { metadata }: KubeObject): Promise<boolean> {
    if (metadata.annotations?.[lastAppliedAnnotation] === undefined) return true;
    const path = `/metadata/annotations/${lastAppliedAnnotation.replaceAll('/', '~1')}`;
    try {
      await this.#client.jsonPatch(resource, metadata.name, metadata.namespace, [{ op: 'remove', path }]);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

const keyOf = ({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject): string =>
  `${apiVersion.split('/')[0] ?? ''}/${kind}/${namespace}/${name}`;

/** The generation, or the resourceVersion of a kind that has none. */
const stateOf = ({ metadata: { uid, generation = 0, resourceVersion = '' } }: KubeObject) => ({
  uid,
  version: generation === 0 ? resourceVersion : String(generation),
});

const withoutSystemFields = (object: KubeObject): KubeObject => {
  const { annotations, ...metadata } = object.metadata;
  const fields = Object.entries(object).filter(([field]) => field !== 'status');
  const kept = Object.entries(metadata).filter(([field]) => !systemFields.includes(field));
  const others = Object.entries(annotations ?? {}).filter(([name]) => name !== lastAppliedAnnotation);
  return {
    ...(Object.fromEntries(fields) as KubeObject),
    metadata: {
      ...(Object.fromEntries(kept) as KubeObject['metadata']),
      ...(annotations === undefined ? {} : { annotations: Object.fromEntries(others) }),
    },
  };
};
