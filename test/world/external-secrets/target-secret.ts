import type { KubeClient, KubeObject, OwnerReference } from '../kubernetes/client.ts';
import { secrets } from '../kubernetes/resources.ts';
import type { ExternalSecret } from './external-secret.ts';
import { creatorHash, dataHash } from './hashes.ts';
import { creatorLabel, dataHashAnnotation, managedLabel } from './refresh.ts';
import { SyncFailure } from './sync-failure.ts';
import { type Rendered, renderTemplate } from './template.ts';

/**
 * Creates the Secret, or makes it what the ExternalSecret says: one that nobody controls is taken over and its data is
 * replaced. @throws SyncFailure
 */
export async function writeSecret(
  client: KubeClient,
  owner: ExternalSecret,
  fetched: ReadonlyMap<string, string>,
  existing: KubeObject | undefined,
): Promise<void> {
  if (owner.spec.target.creationPolicy === 'Owner') assertNotOwnedByAnother(owner, existing);
  try {
    const secret = secretFor(owner, rendered(owner, fetched), existing);
    if (existing === undefined) await client.create(secrets, secret);
    else if (!isSame(existing, secret)) await client.update(secrets, secret);
  } catch (error) {
    throw new SyncFailure('could not update secret', { detail: error, bound: existing !== undefined });
  }
}

/**
 * Puts the label on a Secret that lacks it, whoever owns that: only labelled Secrets are watched, so this comes before
 * anything else is done to it.
 */
export async function markManaged(
  client: KubeClient,
  secret: KubeObject | undefined,
): Promise<KubeObject | undefined> {
  if (secret === undefined || secret.metadata.labels?.[managedLabel] === 'true') return secret;
  const { name, namespace, resourceVersion } = secret.metadata;
  return client.patch(secrets, name, namespace, {
    metadata: { resourceVersion, labels: { [managedLabel]: 'true' } },
  });
}

/** Deletes the Secrets that this ExternalSecret made under earlier target names. @throws SyncFailure */
export async function deleteOrphans(
  client: KubeClient,
  owner: ExternalSecret,
  cached: readonly KubeObject[],
): Promise<void> {
  const ours = creatorHash(owner.namespace, owner.name);
  for (const { metadata } of cached) {
    if (metadata.labels?.[creatorLabel] !== ours || metadata.name === owner.targetName) continue;
    await deleteSecret(client, metadata, 'could not delete orphaned secrets');
  }
}

/** Not found is fine. @throws SyncFailure */
export async function deleteSecret(
  client: KubeClient,
  { name, namespace, uid }: KubeObject['metadata'],
  message = 'could not delete secret',
): Promise<void> {
  try {
    await client.delete(secrets, name, namespace, uid === undefined ? {} : { uid });
  } catch (error) {
    throw new SyncFailure(message, { detail: error });
  }
}

export const controllerOf = (secret: KubeObject | undefined): OwnerReference | undefined =>
  secret?.metadata.ownerReferences?.find(({ controller }) => controller === true);

function assertNotOwnedByAnother({ uid }: ExternalSecret, secret: KubeObject | undefined): void {
  const controller = controllerOf(secret);
  if (controller === undefined || controller.uid === uid) return;
  const isOneOfUs =
    controller.kind === 'ExternalSecret' && controller.apiVersion.startsWith('external-secrets.io/');
  const message = isOneOfUs
    ? 'target is owned by another ExternalSecret'
    : 'failed to take ownership of target secret';
  throw new SyncFailure(message, {
    detail: `${controller.kind} ${controller.name}`,
    ...{ retry: false, bound: true },
  });
}

function rendered({ spec, object }: ExternalSecret, fetched: ReadonlyMap<string, string>): Rendered {
  if (spec.target.template !== undefined) return renderTemplate(spec.target.template, fetched);
  // Without a template the Secret gets the labels and annotations of the ExternalSecret, whatever they are.
  const { labels = {}, annotations = {} } = object.metadata;
  return { data: new Map(fetched), type: undefined, labels, annotations };
}

function secretFor(owner: ExternalSecret, from: Rendered, existing: KubeObject | undefined): KubeObject {
  const fresh = Object.fromEntries(
    [...from.data].map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]),
  );
  const { creationPolicy } = owner.spec.target;
  const data = creationPolicy === 'Merge' ? { ...existing?.data, ...fresh } : fresh;
  const isOwner = creationPolicy === 'Owner';
  const creator = isOwner ? { [creatorLabel]: creatorHash(owner.namespace, owner.name) } : {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: from.type ?? existing?.['type'] ?? 'Opaque',
    metadata: {
      ...existing?.metadata,
      ...{ name: owner.targetName, namespace: owner.namespace },
      labels: { ...existing?.metadata.labels, ...from.labels, [managedLabel]: 'true', ...creator },
      annotations: {
        ...existing?.metadata.annotations,
        ...from.annotations,
        [dataHashAnnotation]: dataHash(data),
      },
      ...(isOwner ? { ownerReferences: ownersWith(owner, existing) } : {}),
    },
    data,
  };
}

function ownersWith(owner: ExternalSecret, existing: KubeObject | undefined): OwnerReference[] {
  const { apiVersion, kind } = owner.object;
  const others = (existing?.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.uid);
  const own = { apiVersion, kind, name: owner.name, uid: owner.uid };
  return [...others, { ...own, controller: true, blockOwnerDeletion: true }];
}

/** The text of all that we set: a write that changes nothing would still be seen in an audit log. */
const isSame = (existing: KubeObject, wanted: KubeObject): boolean =>
  canonical([existing.data ?? {}, existing['type'], existing.metadata]) ===
  canonical([wanted.data ?? {}, wanted['type'], wanted.metadata]);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
