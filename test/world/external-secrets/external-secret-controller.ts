import { externalSecrets } from '../kubernetes/resources.ts';
import { addFinalizer, cleanUp } from './cleanup.ts';
import { warn } from './event.ts';
import { type ExternalSecret, readExternalSecret } from './external-secret.ts';
import { untilNextRefresh } from './refresh.ts';
import { isOurs } from './secret-store.ts';
import { recordFailure, recordSuccess } from './status.ts';
import { detailOf, SyncFailure } from './sync-failure.ts';
import { sync, type SyncWorld } from './sync.ts';

/** When to look again, beside changes: after so many milliseconds, or (undefined) not by itself. */
export interface Outcome {
  readonly again: number | undefined;
}

/** Brings one ExternalSecret and its Secret up to date. @throws Error that asks for a retry with back-off */
export async function reconcile(
  world: SyncWorld & { readonly withFinalizer: boolean },
  { name, namespace }: { name: string; namespace: string },
): Promise<Outcome> {
  const { client, withFinalizer } = world;
  const found = await client.get(externalSecrets, name, namespace);
  if (found === undefined) return { again: undefined };
  if (found.metadata.deletionTimestamp !== undefined) {
    await cleanUp(client, readExternalSecret(found));
    return { again: undefined };
  }
  const began = Date.now();
  const object = withFinalizer ? await addFinalizer(client, found) : found;
  const owner = readExternalSecret(object);
  if (!(await isOurs(client, owner.spec.secretStoreRef))) return { again: undefined };
  return attempt(world, owner, began);
}

async function attempt(world: SyncWorld, owner: ExternalSecret, began: number): Promise<Outcome> {
  try {
    const result = await sync(world, owner, began);
    if (result === undefined) return { again: untilNextRefresh(owner, Date.now()) };
    const status = await recordSuccess(world.client, owner, result, began);
    return { again: untilNextRefresh({ ...owner, status }, Date.now()) };
  } catch (error) {
    if (!(error instanceof SyncFailure)) throw error;
    await warn(world.client, owner.object, 'UpdateFailed', `${error.message}: ${detailOf(error)}`);
    await recordFailure(world.client, owner, error);
    if (error.retry) throw error;
    return { again: undefined };
  }
}
