import type { KubeClient } from '../kubernetes/client.ts';
import { externalSecrets } from '../kubernetes/resources.ts';
import type { Condition, ExternalSecret } from './external-secret.ts';
import { resourceVersionOf } from './hashes.ts';
import type { SyncFailure } from './sync-failure.ts';

export type ReadyReason = 'SecretSynced' | 'SecretSyncedError' | 'SecretDeleted' | 'SecretMissing';

/** How a sync ended. `bound`: the Secret was written, so `binding.name` names it from now on. */
export interface SyncResult {
  readonly reason: ReadyReason;
  readonly message: string;
  readonly bound?: boolean;
}

/** Kubernetes' time format: whole seconds. */
export const wholeSeconds = (time: number): string =>
  `${new Date(time).toISOString().replace(/\.\d+Z$/, '')}Z`;

/**
 * A failure touches the condition, and the binding when there was a Secret: refreshTime and syncedResourceVersion stay
 * those of the last success. Where there was none, refreshTime is null and the binding has an empty name.
 */
export async function recordFailure(
  client: KubeClient,
  owner: ExternalSecret,
  { message, bound }: SyncFailure,
): Promise<void> {
  const { refreshTime = null, binding = { name: '' } } = owner.status;
  await save(client, owner, {
    refreshTime,
    conditions: withReady(owner, 'False', 'SecretSyncedError', message),
    binding: bound ? { name: owner.targetName } : binding,
  });
}

/** `began`: when the sync began, which is what refreshTime says. */
export async function recordSuccess(
  client: KubeClient,
  owner: ExternalSecret,
  { reason, message, bound = false }: SyncResult,
  began: number,
): Promise<ExternalSecret['status']> {
  const changed = {
    refreshTime: wholeSeconds(began),
    syncedResourceVersion: resourceVersionOf(owner.object.metadata),
    conditions: withReady(owner, 'True', reason, message),
    ...(bound ? { binding: { name: owner.targetName } } : {}),
  };
  await save(client, owner, changed);
  return { ...owner.status, ...changed };
}

/** lastTransitionTime moves only when the status of the condition does. */
function withReady(
  { status: { conditions } }: ExternalSecret,
  status: Condition['status'],
  reason: ReadyReason,
  message: string,
): Condition[] {
  const old = conditions.find(({ type }) => type === 'Ready');
  const since = old?.status === status ? old.lastTransitionTime : undefined;
  const ready = {
    type: 'Ready',
    status,
    reason,
    message,
    lastTransitionTime: since ?? wholeSeconds(Date.now()),
  };
  return [...conditions.filter(({ type }) => type !== 'Ready'), ready];
}

/** @throws ApiError, Conflict too: the sync is then tried again on the newer object */
async function save(
  client: KubeClient,
  { object, status }: ExternalSecret,
  changed: Partial<ExternalSecret['status']>,
): Promise<void> {
  const next = { ...status, ...changed };
  if (JSON.stringify(next) === JSON.stringify(status)) return;
  await client.updateStatus(externalSecrets, { ...object, status: { ...object.status, ...changed } });
}
