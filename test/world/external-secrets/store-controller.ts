import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { clusterSecretStores } from '../kubernetes/resources.ts';
import { KvProvider } from './kv-provider.ts';
import { isReferent, readStore, readStoreStatus, tokenOf } from './secret-store.ts';
import { wholeSeconds } from './status.ts';

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Tries to log in to the store and tells the outcome in its condition Ready. Its value: whether it went well. */
export async function validateStore(client: KubeClient, name: string): Promise<boolean> {
  const object = await client.get(clusterSecretStores, name);
  const controller = object?.spec?.['controller'];
  const isForeign = controller !== undefined && controller !== '';
  if (object === undefined || object.metadata.deletionTimestamp !== undefined || isForeign) return true;
  const verdict = await judge(client, object);
  await record(client, object, verdict);
  return verdict.status === 'True';
}

async function judge(client: KubeClient, object: KubeObject): Promise<Verdict> {
  const valid: Verdict = { status: 'True', reason: 'Valid', message: 'store validated' };
  let provider: KvProvider;
  try {
    const store = readStore(object);
    // Whose token it will be is known only when an ExternalSecret comes.
    if (isReferent(store)) return valid;
    provider = new KvProvider(store, await tokenOf(client, store, ''), () => undefined);
  } catch {
    return { status: 'False', reason: 'InvalidProviderConfig', message: 'unable to create client' };
  }
  try {
    await provider.validate();
    return valid;
  } catch {
    return { status: 'False', reason: 'ValidationFailed', message: 'unable to validate store' };
  }
}

async function record(client: KubeClient, object: KubeObject, verdict: Verdict): Promise<void> {
  const old = readStoreStatus(object).conditions.find(({ type }) => type === 'Ready');
  if (old?.status === verdict.status && old.reason === verdict.reason) return;
  const since = old?.status === verdict.status ? old.lastTransitionTime : wholeSeconds(Date.now());
  const conditions = [{ type: 'Ready', ...verdict, lastTransitionTime: since }];
  await client.updateStatus(clusterSecretStores, {
    ...object,
    status: { ...object.status, capabilities: 'ReadWrite', conditions },
  });
}
