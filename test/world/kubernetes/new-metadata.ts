import { randomBytes, randomUUID } from 'node:crypto';

import type { ObjectMeta } from './client.ts';
import type { ResourceType } from './resource-type.ts';
import { badRequest, StatusError } from './status-error.ts';
import { timestamp } from './timestamp.ts';

const clientOwned = ['generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Metadata of an object that is being created: what the client may say, and what the server decides. */
export function newMetadata(
  given: ObjectMeta,
  namespace: string | undefined,
  type: ResourceType,
): ObjectMeta {
  if ((given.resourceVersion ?? '') !== '')
    throw new StatusError(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
  if ((given.namespace ?? '') !== '' && given.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  const fromClient = clientOwned.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]));
  return {
    name: given.name === '' ? generatedName(given['generateName']) : given.name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: randomUUID(),
    creationTimestamp: timestamp(),
    ...(type.hasGeneration ? { generation: 1 } : {}),
    ...(Object.fromEntries(fromClient) as Partial<ObjectMeta>),
  };
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters that spell no words; the prefix is cut so that the name stays a DNS label. */
function generatedName(prefix: unknown): string {
  if (typeof prefix !== 'string' || prefix === '') return '';
  const suffix = Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join('');
  return prefix.slice(0, 58) + suffix;
}
