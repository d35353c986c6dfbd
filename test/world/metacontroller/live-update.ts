import { setTimeout as sleep } from 'node:timers/promises';

import { ApiError, type KubeClient, type KubeObject, type Resource } from '../kubernetes/client.ts';

/** Waits between the tries after a conflict: four tries in all, as client-go's default. */
const conflictDelaysMs = [10, 50, 250];

/**
 * Reads the object live, changes it and writes it back; after a conflict again with a new read. `change` gives
 * undefined when there is nothing to do. Throws ApiError NotFound also when another object has the name by now.
 */
export const updateLive = async (
  client: KubeClient,
  resource: Resource,
  original: KubeObject,
  change: (live: KubeObject) => KubeObject | undefined,
  write: 'main' | 'status' = 'main',
): Promise<KubeObject> => {
  const { name, namespace, uid } = original.metadata;
  for (let attempt = 0; ; attempt += 1) {
    const live = await client.get(resource, name, namespace);
    if (live === undefined || live.metadata.uid !== uid)
      throw new ApiError(404, 'NotFound', `${resource.plural} "${name}" not found`);
    const changed = change(live);
    if (changed === undefined) return live;
    try {
      return await (write === 'main'
        ? client.update(resource, changed)
        : client.updateStatus(resource, changed));
    } catch (error) {
      const delayMs = conflictDelaysMs[attempt];
      if (!isConflict(error) || delayMs === undefined) throw error;
      await sleep(delayMs);
    }
  }
};

/** A write that stood on an old version; not AlreadyExists, which has the same HTTP status. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason !== 'AlreadyExists';

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;
