import { createHash } from 'node:crypto';

import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { events } from '../kubernetes/resources.ts';
import { wholeSeconds } from './status.ts';

/**
 * A Warning about the object: the one place where External Secrets says what the provider answered. The same message
 * again is counted, not repeated. An Event that cannot be written is no reason to fail.
 */
export async function warn(
  client: KubeClient,
  about: KubeObject,
  reason: string,
  message: string,
): Promise<void> {
  const { name, namespace, uid } = about.metadata;
  const digest = createHash('sha256')
    .update(`${uid ?? ''} ${reason} ${message}`)
    .digest('hex')
    .slice(0, 16);
  const key = `${name.slice(0, 200)}.${digest}`;
  const now = wholeSeconds(Date.now());
  try {
    const earlier = await client.get(events, key, namespace);
    const count = typeof earlier?.['count'] === 'number' ? earlier['count'] : 0;
    await client.apply(events, {
      ...{ apiVersion: 'v1', kind: 'Event', type: 'Warning', reason, message, count: count + 1 },
      metadata: { name: key, ...(namespace === undefined ? {} : { namespace }) },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
      source: { component: 'external-secrets' },
      ...(earlier === undefined ? { firstTimestamp: now } : {}),
      lastTimestamp: now,
    });
  } catch {
    // Said above.
  }
}
