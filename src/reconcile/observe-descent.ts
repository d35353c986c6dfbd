import type { TenantHookRequest } from '../api/hook.ts';
import type { PostgreSQLTenant } from '../api/tenant.ts';
import { known, type Fact } from '../domain/fact.ts';
import type { DeletionBlockers } from '../domain/catalog.ts';
import type { DescentFacts, TenantFacts } from '../domain/facts.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { collectorOf, isHeld } from './finalizers.ts';
import type { Observation } from './observation.ts';
import { observeTenant } from './observe-tenant.ts';
import { isOverdue, mayBeShut } from './overdue.ts';

const none: DeletionBlockers = {
  dependencies: [],
  preparedTransactions: [],
  subscriptions: [],
  activeSlots: [],
};

/**
 * Looks at what of a Tenant still exists, and at what would block its deletion. Writes nothing. The child is read live,
 * whatever was posted: one that the garbage collector has just orphaned must not be withdrawn.
 */
export async function observeDescent(
  context: Context,
  request: TenantHookRequest,
): Promise<Observation<DescentFacts>> {
  const observation = await observeTenant(context, { ...request, children: {} });
  const { metadata } = request.parent;
  return {
    ...observation,
    facts: {
      ...observation.facts,
      blockers: await observeBlockers(observation),
      overdue: isOverdue(context, metadata.deletionTimestamp),
      mayBeShut: mayBeShut(request.parent.status),
      everClaimed: wasEverClaimed(request.parent),
      held: isHeld(metadata),
      collector: collectorOf(metadata),
    },
  };
}

async function observeBlockers({ facts, server, handle }: Observation): Promise<Fact<DeletionBlockers>> {
  if (!hasSomethingToLose(facts) || server === undefined || handle === undefined) return known(none);
  return attempt(() => server.observe.blockers(handle));
}

const hasSomethingToLose = ({ wish, catalog }: TenantFacts): boolean =>
  wish.deletionPolicy === 'Delete' && catalog.known && catalog.value.row?.roleOid != null;

const wasEverClaimed = ({ status }: PostgreSQLTenant): boolean =>
  status?.databaseName !== undefined || (status?.phase !== undefined && status.phase !== 'Planned');
