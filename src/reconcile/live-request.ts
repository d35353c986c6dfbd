import type { TenantHookRequest } from '../api/hook.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';

/**
 * The request with the live object in place of the posted one. What Metacontroller posts comes from its cache and may
 * be one write behind: an answer built on the older of two statuses would be written, the newer one be posted next, and
 * so on without end. And what anybody else posts is not believed: spec, annotations and status are the live ones.
 */
export async function liveRequest(
  { kubernetes }: Context,
  posted: TenantHookRequest,
): Promise<TenantHookRequest> {
  const { namespace, name, uid } = posted.parent.metadata;
  const live = await attempt(() => kubernetes.tenant(namespace, name));
  if (!live.known || live.value?.metadata.uid !== uid) return posted;
  return { ...posted, parent: live.value };
}
