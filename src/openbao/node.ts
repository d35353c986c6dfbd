import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Client } from './client.ts';
import { troubleOf } from './errors.ts';

const healthShape = z.object({ initialized: z.boolean(), sealed: z.boolean(), standby: z.boolean() });

const mountShape = z.object({
  data: z.object({ type: z.string(), options: z.record(z.string(), z.string()).nullish() }),
});

/**
 * Throws `OpenBaoSealed` unless the node that answers is active. A standby that lags behind answers a deletion with
 * success without deleting anything, and a read with 404 for what exists.
 */
export const assertActive = async (client: Client, doing: string): Promise<void> => {
  const answer = await client.health();
  const health = healthShape.safeParse(answer.body);
  if (!health.success) throw troubleOf(answer, doing, 'read');
  const { initialized, sealed, standby } = health.data;
  if (initialized && !sealed && !standby) return;
  const state = sealed || !initialized ? 'is sealed or not initialized' : 'is a standby, not the active node';
  throw new Trouble('OpenBaoSealed', `${doing}: the OpenBao node that answers ${state}`);
};

/**
 * Throws `OpenBaoMountInvalid` unless the mount is KV version 2. Version 1 takes `data/<key>` for a key of its own: it
 * answers a read with the same 404, and would keep a password without version or check-and-set.
 * The path asked is what OpenBao's own CLI asks; it needs no right beyond some right below the mount.
 */
export const assertVersioned = async (client: Client, mount: string, doing: string): Promise<void> => {
  const answer = await client.get(`sys/internal/ui/mounts/${mount}`);
  if (answer.status !== 200) throw troubleOf(answer, `${doing}: cannot look at mount ${mount}`, 'read');
  const found = mountShape.safeParse(answer.body).data?.data;
  if (found?.type === 'kv' && found.options?.['version'] === '2') return;
  throw new Trouble(
    'OpenBaoMountInvalid',
    `${doing}: mount ${mount} is not KV version 2; an administrator mounts one, or corrects OPENBAO_MOUNT`,
  );
};
