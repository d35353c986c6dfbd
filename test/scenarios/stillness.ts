import { isDeepStrictEqual } from 'node:util';

import type { AuditEntry } from '../world/kubernetes/audit.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { installation } from '../world/names.ts';
import { sql } from './sql.ts';
import type { Stage } from './stage.ts';
import { splitName, type TenantName } from './tenants.ts';

/** What changes with any write: to PostgreSQL (of any session but those of superusers who only read), OpenBao, Kubernetes. */
export interface Traces {
  /** The next transaction id: every transaction that writes, or locks a row, takes one. */
  readonly transactions: string;
  /** Of every record below the installation. */
  readonly records: Readonly<Record<string, unknown>>;
  readonly kubernetesWrites: readonly string[];
}

export async function tracesIn(stage: Stage): Promise<Traces> {
  const [row] = await sql<{ next: string }>(
    stage,
    'select pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text as next',
  );
  return {
    transactions: row?.next ?? '',
    records: await recordsIn(stage),
    kubernetesWrites: stage.world.api.audit
      .filter((entry) => !isAboutStore(entry))
      .map(({ verb, resource, namespace, name, subresource }) =>
        [verb, resource, namespace, name, subresource].join(' '),
      ),
  };
}

/** External Secrets validates its stores again and again, and says so in their status and in Events. */
const isAboutStore = ({ resource, namespace, name = '' }: AuditEntry): boolean =>
  resource.startsWith('clustersecretstores') ||
  (resource === 'events' && namespace === 'default' && /^(postgresql-tenants|platform)\./.test(name));

/** Metadata of every record, by its path. */
export async function recordsIn({ world }: Stage): Promise<Record<string, unknown>> {
  const folders = [`${installation}/`];
  const found: Record<string, unknown> = {};
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await world.kv.list(folder)) {
      const path = `${folder}${name}`;
      if (name.endsWith('/')) folders.push(path);
      else found[path] = await world.kv.metadata(path);
    }
  }
  return found;
}

/** Waits until the hook has answered so many more syncs of each of these Tenants. */
export const resyncs = (stage: Stage, names: readonly TenantName[], times: number): Promise<true> =>
  moreCalls(`${times} more syncs of ${names.join(', ')}`, times, () =>
    names.map((name) => syncsOf(stage, name)),
  );

/** Waits for two more looks at a Tenant that is being deleted: what was to happen to it has happened by then. */
export const lookedAtAgain = (stage: Stage, name: TenantName): Promise<true> =>
  moreCalls(`two more finalize calls for ${name}`, 2, () => [answeredCalls(stage, name, 'finalize')]);

function moreCalls(what: string, times: number, calls: () => readonly HookCall[][]): Promise<true> {
  const enough = calls().map(({ length }) => length + times);
  return waitFor(what, () => calls().every(({ length }, index) => length >= (enough[index] ?? 0)), {
    timeoutMs: 90_000,
  });
}

export const syncsOf = (stage: Stage, name: TenantName) => answeredCalls(stage, name, 'sync');

function answeredCalls({ calls }: Stage, tenantName: TenantName, hook: HookCall['hook']): HookCall[] {
  const { namespace, name } = splitName(tenantName);
  return calls.filter(
    (call) => call.namespace === namespace && call.name === name && call.hook === hook && call.status === 200,
  );
}

/** Waits until the last two answers about a Tenant are the same: what was under way is done. */
export const settled = (stage: Stage, ...names: readonly TenantName[]): Promise<true> =>
  waitFor(
    `the answers about ${names.join(', ')} to repeat`,
    () =>
      names.every((name) => {
        const [last, before] = syncsOf(stage, name).slice(-2);
        return before !== undefined && isDeepStrictEqual(last?.response, before.response);
      }),
    { timeoutMs: 90_000 },
  );
