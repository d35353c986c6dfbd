import type { TenantHookRequest } from '../api/hook.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';

/**
 * The request with the live object in place of the posted one; null when there is no such object. What Metacontroller
 * posts comes from its cache and may be one write behind: an answer built on the older of two statuses would be written,
 * the newer one be posted next, and so on without end. And what anybody else posts is not believed: spec, annotations
 * and status are the live ones. While the API cannot be read the posted request itself comes back and is looked at; no
 * step is taken then, and nothing is let go.
 */
export async function liveRequest(
  { kubernetes }: Context,
  posted: TenantHookRequest,
): Promise<TenantHookRequest | null> {
  const { namespace, name, uid } = posted.parent.metadata;
  const live = await attempt(() => kubernetes.tenant(namespace, name));
  if (!live.known) return posted;
  return live.value?.metadata.uid === uid ? { ...posted, parent: live.value } : null;
}
