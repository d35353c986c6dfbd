import type { PostgreSQLInstance } from '../api/instance.ts';
import type { InstanceFacts } from '../domain/facts.ts';
import { sameServer } from '../domain/instance-checks.ts';
import type { Note } from '../domain/verdict.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { isOverdue } from './overdue.ts';
import type { Server } from './ports.ts';
import { instanceSubject } from './subject.ts';

/**
 * Lets a deleted Instance go, or says why not yet: null when it is released. A registry that cannot be reached for
 * 10 minutes is not waited for any longer when no live Tenant names the Instance.
 */
export async function release(
  context: Context,
  live: PostgreSQLInstance,
  facts: InstanceFacts,
  server: Server | undefined,
): Promise<Note | null> {
  const unsure = unsureOf(facts);
  if (unsure !== null || !facts.registry.known || server === undefined) {
    return whileUnreachable(
      context,
      live,
      unsure ?? (facts.registry.known ? { reason: 'Deleting', message: cannotAsk } : facts.registry),
    );
  }
  const { count, first } = facts.registry.value.activeTenants;
  if (count > 0) return tenantsExist(count, first);
  const claimants = await liveClaimants(context, live);
  if (claimants !== null || facts.registry.value.instance === null) return claimants;
  const released = await attempt(() => server.registry.releaseInstance());
  if (!released.known) return { reason: released.reason, message: released.message };
  return released.value
    ? null
    : { reason: 'TenantsExist', message: 'a Tenant has just claimed its names here; delete it first' };
}

const cannotAsk = 'the registry cannot be asked for Tenants of this Instance';

/** Why the registry's word cannot be had, or cannot be taken: null when it can. */
function unsureOf(facts: InstanceFacts): Note | null {
  if (!facts.server.known) return { reason: facts.server.reason, message: facts.server.message };
  if ('refused' in facts.server.value) return facts.server.value.refused;
  const verdict = sameServer(facts);
  return verdict.kind === 'holds' ? null : { reason: verdict.reason, message: verdict.message };
}

const tenantsExist = (count: number, first: readonly string[]): Note => ({
  reason: 'TenantsExist',
  message: `${count} ${count === 1 ? 'Tenant lives' : 'Tenants live'} on this Instance: ${first.join(', ')}${count > first.length ? ', ...' : ''}; delete them first (a row whose Tenant is gone is shown by: select * from pgtenancy.tenant where state = 'Active')`,
});

/**
 * A registry that knows no Tenant may have lost them: live Tenants that once claimed names here are believed more than
 * its silence. null: there is none.
 */
async function liveClaimants(
  { kubernetes }: Context,
  { metadata }: PostgreSQLInstance,
): Promise<Note | null> {
  const found = await attempt(() => kubernetes.claimantsOf(metadata.name));
  if (!found.known) return { reason: found.reason, message: found.message };
  return found.value.length === 0 ? null : tenantsExist(found.value.length, found.value.slice(0, 3));
}

async function whileUnreachable(context: Context, live: PostgreSQLInstance, why: Note): Promise<Note | null> {
  const { name, deletionTimestamp } = live.metadata;
  if (!isOverdue(context, deletionTimestamp)) {
    return {
      ...why,
      message: `${why.message}; the Instance is released once its registry says that it has no Tenant, or 10 minutes after its deletion if it still cannot be asked and no Tenant names the Instance`,
    };
  }
  const tenants = await attempt(() => context.kubernetes.tenantsOf(name));
  if (!tenants.known) return { reason: tenants.reason, message: tenants.message };
  if (tenants.value.length > 0) return tenantsExist(tenants.value.length, tenants.value.slice(0, 3));
  context.log.letGo(
    instanceSubject(live),
    `released although its registry cannot be reached: ${why.message}`,
  );
  return null;
}
