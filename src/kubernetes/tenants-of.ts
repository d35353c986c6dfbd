import { z } from 'zod';

import type { Get } from './client.ts';
import { invalidAnswer, refused } from './errors.ts';
import { tenants } from './objects.ts';

/* Not the whole Tenant: one that an older CRD let in must not hide the others. */
const pageShape = z.object({
  kind: z.literal('PostgreSQLTenantList'),
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(
    z.object({
      metadata: z.object({ namespace: z.string(), name: z.string() }),
      spec: z.object({ instanceRef: z.object({ name: z.string() }) }),
      status: z.object({ databaseName: z.string().optional() }).optional(),
    }),
  ),
});

type Page = z.infer<typeof pageShape>;
type Item = Page['items'][number];

const pageSize = 500;
const maxPages = 200;

/**
 * `namespace/name` of every Tenant that names this Instance, also of those being deleted; in order. All pages together
 * must come within `limitMs`, or the list outlives the hook call that wants it; throws `KubernetesUnreachable` else.
 */
export const tenantsOf = (get: Get, instanceName: string, limitMs?: number): Promise<readonly string[]> =>
  list(get, ({ spec }) => spec.instanceRef.name === instanceName, limitMs);

/** Those of them whose status tells of claimed names; in order. Bounded like `tenantsOf`. */
export const claimantsOf = (get: Get, instanceName: string): Promise<readonly string[]> =>
  list(
    get,
    ({ spec, status }) => spec.instanceRef.name === instanceName && status?.databaseName !== undefined,
  );

async function list(
  get: Get,
  isWanted: (tenant: Item) => boolean,
  limitMs = 10_000,
): Promise<readonly string[]> {
  const limit = AbortSignal.timeout(limitMs);
  const found: string[] = [];
  let next: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { items, metadata } = await readPage(get, next, limit);
    found.push(...items.filter(isWanted).map(({ metadata: own }) => `${own.namespace}/${own.name}`));
    next = metadata.continue;
    if (next === undefined || next === '') return found.sort();
  }
  throw invalidAnswer('the list of PostgreSQLTenants');
}

const readPage = async (get: Get, next: string | undefined, limit: AbortSignal): Promise<Page> => {
  const query = { limit: pageSize, ...(next === undefined ? {} : { continue: next }) };
  const { status, body } = await get(`${tenants.root}/${tenants.plural}`, query, limit);
  if (status !== 200) throw refused(status, 'the list of PostgreSQLTenants');
  const parsed = pageShape.safeParse(body);
  if (!parsed.success) throw invalidAnswer('the list of PostgreSQLTenants');
  return parsed.data;
};
