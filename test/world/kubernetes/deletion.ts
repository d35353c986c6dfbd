import type { KubeObject } from './client.ts';
import { isObject } from './json.ts';
import type { ResourceType } from './resource-type.ts';
import { badRequest } from './status-error.ts';
import { timestamp } from './timestamp.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Finalizers of the garbage collector itself. */
export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const policies: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan'];

/** Reads the body of a DELETE (none is fine) and its `propagationPolicy` parameter. */
export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const options = isObject(body) ? body : {};
  const wanted = options['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  const policy = policies.find((candidate) => candidate === wanted);
  if (wanted !== undefined && policy === undefined)
    throw badRequest(`invalid deletion propagation policy ${JSON.stringify(wanted)}`);
  const given = isObject(options['preconditions']) ? options['preconditions'] : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    preconditions: { uid: text(given['uid']), resourceVersion: text(given['resourceVersion']) },
  };
}

/** The object as a DELETE leaves it, if anything holds it. Without a policy the collector's finalizers stay as they are. */
export function markDeleted(type: ResourceType, object: KubeObject, policy?: PropagationPolicy): KubeObject {
  const withPolicy = withFinalizers(object, policyFinalizers(object.metadata.finalizers ?? [], policy));
  const { metadata } = withPolicy;
  if (metadata.deletionTimestamp !== undefined) return withPolicy;
  const marked = {
    ...withPolicy,
    metadata: {
      ...metadata,
      deletionTimestamp: timestamp(),
      deletionGracePeriodSeconds: 0,
      ...(metadata.generation === undefined ? {} : { generation: metadata.generation + 1 }),
    },
  };
  return type.strategy.markTerminating?.(marked) ?? marked;
}

function policyFinalizers(finalizers: readonly string[], policy?: PropagationPolicy): string[] {
  if (policy === undefined) return [...finalizers];
  const others = finalizers.filter((name) => name !== foregroundFinalizer && name !== orphanFinalizer);
  if (policy === 'Background') return others;
  return [...others, policy === 'Foreground' ? foregroundFinalizer : orphanFinalizer];
}

export function withFinalizers(object: KubeObject, finalizers: string[]): KubeObject {
  const metadata = { ...object.metadata };
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = finalizers;
  return { ...object, metadata };
}

/** Finalizers keep a deleted object; a Namespace has some of its own in `spec`. */
export function isHeld({ kind, metadata, spec }: KubeObject): boolean {
  const inSpec = kind === 'Namespace' && Array.isArray(spec?.['finalizers']) ? spec['finalizers'].length : 0;
  return (metadata.finalizers ?? []).length + inSpec > 0;
}
