import type { KubeObject } from '../kubernetes/client.ts';
import { parseGoDuration } from '../metacontroller/go-duration.ts';
import type { ExternalSecret } from './external-secret.ts';
import { dataHash, resourceVersionOf } from './hashes.ts';

export const managedLabel = 'reconcile.external-secrets.io/managed';
export const creatorLabel = 'reconcile.external-secrets.io/created-by';
export const dataHashAnnotation = 'reconcile.external-secrets.io/data-hash';

/** Whether the spec and the clock ask for a fetch; a damaged Secret asks for one as well, see `isSecretValid`. */
export function shouldRefresh({ spec, status, object }: ExternalSecret, now: number): boolean {
  const synced = status.syncedResourceVersion;
  const isSynced = synced !== undefined && synced !== '';
  const isCurrent = synced === resourceVersionOf(object.metadata);
  switch (spec.refreshPolicy) {
    case 'CreatedOnce':
      return !isSynced;
    case 'OnChange':
      return !isCurrent;
    case 'Periodic': {
      const interval = parseGoDuration(spec.refreshInterval);
      // An interval of 0 means never again, not even for a changed spec.
      if (interval <= 0 && isSynced) return false;
      if (!isCurrent) return true;
      const refreshed = refreshTimeOf(status);
      return refreshed === undefined || refreshed > now || refreshed + interval <= now;
    }
  }
}

/** Milliseconds until the interval asks for the next fetch; undefined: it never will. */
export function untilNextRefresh({ spec, status }: ExternalSecret, now: number): number | undefined {
  if (spec.refreshPolicy !== 'Periodic') return undefined;
  const interval = parseGoDuration(spec.refreshInterval);
  if (interval <= 0) return undefined;
  return Math.max(0, (refreshTimeOf(status) ?? now) + interval - now);
}

/** The Secret is there, marked as managed, and holds what was last written to it. */
export function isSecretValid({ spec }: ExternalSecret, secret: KubeObject | undefined): boolean {
  if (spec.target.creationPolicy === 'Orphan') return true;
  if (secret === undefined) return false;
  const { labels = {}, annotations = {} } = secret.metadata;
  return labels[managedLabel] === 'true' && annotations[dataHashAnnotation] === dataHash(secret.data);
}

const refreshTimeOf = ({ refreshTime }: ExternalSecret['status']): number | undefined =>
  typeof refreshTime === 'string' ? Date.parse(refreshTime) : undefined;
