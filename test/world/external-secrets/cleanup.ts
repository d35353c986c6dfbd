import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { externalSecrets, secrets } from '../kubernetes/resources.ts';
import type { ExternalSecret } from './external-secret.ts';
import { controllerOf, deleteSecret } from './target-secret.ts';

export const cleanupFinalizer = 'externalsecrets.external-secrets.io/externalsecret-cleanup';

const hasFinalizer = ({ metadata }: KubeObject): boolean =>
  metadata.finalizers?.includes(cleanupFinalizer) === true;

/** The object with the finalizer that makes its deletion wait for `cleanUp`. */
export async function addFinalizer(client: KubeClient, object: KubeObject): Promise<KubeObject> {
  if (hasFinalizer(object)) return object;
  return patchFinalizers(client, object, [...(object.metadata.finalizers ?? []), cleanupFinalizer]);
}

/**
 * With deletionPolicy Delete the Secret goes now, if this very ExternalSecret controls it; with the others it is left to
 * the garbage collector. Then the finalizer is taken off. OpenBao is not needed for any of it.
 */
export async function cleanUp(client: KubeClient, owner: ExternalSecret): Promise<void> {
  const { object, spec } = owner;
  if (!hasFinalizer(object)) return;
  if (spec.target.deletionPolicy === 'Delete') await deleteControlled(client, owner);
  const others = (object.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
  await patchFinalizers(client, object, others);
}

async function deleteControlled(
  client: KubeClient,
  { targetName, namespace, uid }: ExternalSecret,
): Promise<void> {
  const secret = await client.get(secrets, targetName, namespace);
  if (secret !== undefined && controllerOf(secret)?.uid === uid) await deleteSecret(client, secret.metadata);
}

const patchFinalizers = (
  client: KubeClient,
  { metadata: { name, namespace, resourceVersion } }: KubeObject,
  finalizers: string[],
): Promise<KubeObject> =>
  client.patch(externalSecrets, name, namespace, { metadata: { resourceVersion, finalizers } });
