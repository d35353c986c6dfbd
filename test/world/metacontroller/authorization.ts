import type { KubeClient } from '../kubernetes/client.ts';
import { secrets } from '../kubernetes/resources.ts';
import type { CompositeControllerSpec, HookName, WebhookSpec } from './composite-controller.ts';

/** The `authorization` header of each hook that has one. */
export type Authorizations = ReadonlyMap<HookName, string>;

/**
 * Resolved once, when a controller starts, as the real one does it: a Secret that changes later has no effect until the
 * controller's spec changes. Throws when a Secret or its key is missing, or a CA bundle holds no certificate.
 */
export async function authorizationsOf(
  client: KubeClient,
  hooks: CompositeControllerSpec['hooks'],
): Promise<Authorizations> {
  const resolved = new Map<HookName, string>();
  for (const name of ['sync', 'finalize', 'customize'] as const) {
    const { authorization, caBundle } = hooks[name]?.webhook ?? {};
    if (caBundle !== undefined && !caBundle.inline.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error('caBundle: no valid PEM-encoded certificates found in the provided CA bundle');
    if (authorization !== undefined) resolved.set(name, await headerOf(client, authorization));
  }
  return resolved;
}

type Authorization = NonNullable<WebhookSpec['authorization']>;

async function headerOf(client: KubeClient, { type, secretRef }: Authorization): Promise<string> {
  const { name, namespace, key } = secretRef;
  const secret = await client.get(secrets, name, namespace);
  if (secret === undefined) throw new Error(`can't get authorization secret ${namespace}/${name}`);
  const value = secret.data?.[key];
  if (value === undefined)
    throw new Error(`authorization secret ${namespace}/${name} does not contain key "${key}"`);
  return `${type === undefined || type === '' ? 'Bearer' : type} ${atob(value).trim()}`;
}
