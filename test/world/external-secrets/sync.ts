import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { secrets } from '../kubernetes/resources.ts';
import type { ExternalSecret } from './external-secret.ts';
import { fetchData } from './fetched-data.ts';
import { KvProvider } from './kv-provider.ts';
import { isSecretValid, shouldRefresh } from './refresh.ts';
import { tokenOf, usableStore } from './secret-store.ts';
import type { SyncResult } from './status.ts';
import { SyncFailure } from './sync-failure.ts';
import { deleteOrphans, deleteSecret, markManaged, writeSecret } from './target-secret.ts';

export interface SyncWorld {
  readonly client: KubeClient;
  /** Called before each GET of a record. */
  readonly onFetch: () => void;
  /** The Secrets of a namespace that the watch knows. */
  readonly cachedSecrets: (namespace: string) => readonly KubeObject[];
}

/**
 * Fetches and writes when there is cause to: a changed spec, the interval, or a Secret that is missing or was edited.
 * undefined: there was none. @throws SyncFailure
 */
export async function sync(
  world: SyncWorld,
  owner: ExternalSecret,
  now: number,
): Promise<SyncResult | undefined> {
  const existing = await world.client.get(secrets, owner.targetName, owner.namespace);
  const labelled = await markManaged(world.client, existing);
  if (!shouldRefresh(owner, now) && isSecretValid(owner, existing)) return undefined;
  const fetched = await fetch(world, owner);
  const { creationPolicy, deletionPolicy } = owner.spec.target;
  if (fetched.size === 0 && deletionPolicy === 'Delete') return deleted(world, labelled);
  if (fetched.size === 0 && deletionPolicy === 'Retain') {
    return { reason: 'SecretSynced', message: 'secret retained due to DeletionPolicy=Retain' };
  }
  if (creationPolicy === 'Merge' && labelled === undefined) {
    return { reason: 'SecretMissing', message: 'secret will not be created due to CreationPolicy=Merge' };
  }
  if (creationPolicy === 'Owner') {
    await deleteOrphans(world.client, owner, world.cachedSecrets(owner.namespace));
  }
  await writeSecret(world.client, owner, fetched, labelled);
  return { reason: 'SecretSynced', message: 'secret synced', bound: true };
}

async function fetch(
  { client, onFetch }: SyncWorld,
  owner: ExternalSecret,
): Promise<ReadonlyMap<string, string>> {
  try {
    const store = await usableStore(client, owner.spec.secretStoreRef, owner.namespace);
    const token = await tokenOf(client, store, owner.namespace);
    return await fetchData(owner, new KvProvider(store, token, onFetch));
  } catch (error) {
    throw new SyncFailure('could not get secret data from provider', { detail: error });
  }
}

async function deleted({ client }: SyncWorld, secret: KubeObject | undefined): Promise<SyncResult> {
  if (secret !== undefined) await deleteSecret(client, secret.metadata);
  return { reason: 'SecretDeleted', message: 'secret deleted due to DeletionPolicy=Delete' };
}
