import type { ApiAccess, KubeClient } from '../world/kubernetes/client.ts';

/** A day: longer than every run. */
const expirationSeconds = 86_400;

/** The access of a ServiceAccount that exists, with a token of its own. */
export async function accessOf(
  kube: KubeClient,
  api: ApiAccess,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<ApiAccess> {
  const { status } = await kube.requestToken(name, namespace, { expirationSeconds });
  return { ...api, token: String(status?.['token']) };
}
