import { externalSecrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { conditionOf } from './conditions.ts';
import { sql } from './sql.ts';
import type { Stage } from './stage.ts';
import { recordsIn } from './stillness.ts';
import { splitName, type TenantName } from './tenants.ts';

/** Everything that a deletion takes away, one after the other. Names are the derived ones. */
export interface Remains {
  readonly child: boolean;
  readonly database: 'open' | 'closed' | 'aside' | 'gone';
  readonly role: boolean;
  readonly record: boolean;
  /** State of the registry row. */
  readonly row: string | undefined;
}

export async function remainsOf(stage: Stage, tenantName: TenantName): Promise<Remains> {
  const { namespace, name } = splitName(tenantName);
  const [row] = await sql<{ state: string | null; open: boolean | null; aside: boolean; role: boolean }>(
    stage,
    `select (select t.state from pgtenancy.tenant t where t.namespace = $1 and t.name = $2) as state,
            (select d.datallowconn from pg_catalog.pg_database d where d.datname = $3) as open,
            exists (select from pg_catalog.pg_database d, pgtenancy.tenant t
                     where t.namespace = $1 and t.name = $2 and d.oid = t.database_oid
                       and d.datname like 'pto_drop_%') as aside,
            exists (select from pg_catalog.pg_roles r where r.rolname = $3) as role`,
    { values: [namespace, name, `${namespace}_${name}`] },
  );
  const records = await recordsIn(stage);
  return {
    child: (await stage.kube.get(externalSecrets, `${name}-postgresql`, namespace)) !== undefined,
    database: row?.aside === true ? 'aside' : databaseOf(row?.open ?? null),
    role: row?.role === true,
    record: Object.keys(records).some((path) => path.includes(`/${namespace}/${name}/`)),
    row: row?.state ?? undefined,
  };
}

function databaseOf(open: boolean | null): Remains['database'] {
  if (open === null) return 'gone';
  return open ? 'open' : 'closed';
}

/**
 * Asks for the deletion of a Tenant, and does something in the moment in which `reached` holds: no hook is called for
 * it meanwhile. The deletion goes on afterwards.
 */
export async function interrupting(
  stage: Stage,
  tenantName: TenantName,
  reached: (remains: Remains) => boolean,
  work: () => Promise<unknown>,
): Promise<void> {
  const { namespace, name } = splitName(tenantName);
  const { faults } = stage.world.metacontroller;
  let outcome: { failed?: unknown } | undefined;
  faults.beforeCall = async (hook, parent) => {
    const own = parent.metadata.name === name && parent.metadata.namespace === namespace;
    if (!own || hook !== 'finalize' || !reached(await remainsOf(stage, tenantName))) return;
    faults.beforeCall = undefined;
    outcome = await work().then(
      () => ({}),
      (failed: unknown) => ({ failed }),
    );
  };
  try {
    await stage.kube.delete(tenants, name, namespace);
    const what = `the deletion of ${tenantName} to come to that point`;
    const { failed } = await waitFor(what, () => outcome, { timeoutMs: 90_000 });
    if (failed !== undefined) throw new Error('what was to happen meanwhile failed', { cause: failed });
  } finally {
    faults.beforeCall = undefined;
  }
}

export const untilGone = (stage: Stage, tenantName: TenantName): Promise<true> => {
  const { namespace, name } = splitName(tenantName);
  return waitFor(
    `Tenant ${tenantName} to go`,
    async () => (await stage.kube.get(tenants, name, namespace)) === undefined,
    { timeoutMs: 90_000 },
  );
};

/** What the condition Ready of a Tenant said, all the messages of all its versions in their order. */
export function messagesOf({ recorder }: Stage, tenantName: TenantName): string[] {
  const { namespace, name } = splitName(tenantName);
  const own = recorder
    .versions(tenants)
    .filter(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  const messages = own.map((object) => conditionOf(object, 'Ready')?.message ?? '');
  return messages.filter((message, index) => message !== messages[index - 1]);
}
