import type { HookResponse, TenantHookRequest } from '../api/hook.ts';
import type { PostgreSQLTenant, TenantStatus } from '../api/tenant.ts';
import { decideClimb, decideDescent, type Decision, type Recorded } from '../domain/decide.ts';
import type { DescentFacts, TenantFacts } from '../domain/facts.ts';
import type { DescentStep, TenantStep } from '../domain/steps.ts';
import type { Note } from '../domain/verdict.ts';
import { Trouble } from '../errors.ts';
import type { Context } from './context.ts';
import { takeGuarded } from './guarded-step.ts';
import { liveRequest } from './live-request.ts';
import type { Observation } from './observation.ts';
import { observeDescent } from './observe-descent.ts';
import { observeTenant } from './observe-tenant.ts';
import { isOverdue, mayBeShut } from './overdue.ts';
import { childrenOf, respondToTenant, untouchedChildren } from './respond-tenant.ts';
import { tenantSubject } from './subject.ts';
import type { Taken } from './take-step.ts';
import { whatIsLeftBehind } from './left-behind.ts';

type Response = HookResponse<TenantStatus>;

/** observe -> decide -> act (at most one step) -> observe -> respond. */
export async function syncTenant(context: Context, posted: TenantHookRequest): Promise<Response> {
  const request = await liveRequest(context, posted);
  const deleting = request?.parent.metadata.deletionTimestamp !== undefined;
  if (request === null || deleting) return leaveAlone(context, request ?? posted);
  const { parent } = request;
  const { facts, decision, taken } = await turn(context, posted.parent, {
    observe: () => observeTenant(context, request),
    decide: (seen, trouble) => decideClimb(seen, recordedOf(parent), trouble),
  });
  const publish = taken.kind === 'answered';
  return respondToTenant(context, { parent, facts, decision, taken }, childrenOf(request, facts, publish));
}

/** The same on the way down. `finalized: true` only once nothing is left, or all that may be kept is marked as kept. */
export async function finalizeTenant(context: Context, posted: TenantHookRequest): Promise<Response> {
  const request = await liveRequest(context, posted);
  if (request?.parent.metadata.deletionTimestamp === undefined) return leaveAlone(context, request ?? posted);
  const { parent } = request;
  try {
    return await finalize(context, posted, request);
  } catch (error) {
    const busy = error instanceof Trouble && error.reason === 'Busy';
    if (!busy || parent.spec.deletionPolicy !== 'Retain' || request === posted) throw error;
    if (!isOverdue(context, parent.metadata.deletionTimestamp) || mayBeShut(parent.status)) throw error;
    context.log.letGo(tenantSubject(parent), `retained without a mark: ${error.message}`);
    return { status: parent.status ?? {}, children: [], finalized: true };
  }
}

async function finalize(
  context: Context,
  posted: TenantHookRequest,
  request: TenantHookRequest,
): Promise<Response> {
  const { parent } = request;
  const { facts, decision, taken, trouble } = await turn(context, posted.parent, {
    observe: () => observeDescent(context, request),
    decide: (seen: DescentFacts, failed) => decideDescent(seen, recordedOf(parent), failed),
  });
  // Not read live: whoever posted it may have made it up, so there is nobody to let go, and nothing to tell.
  if (decision.finished && request === posted) return leaveAlone(context, posted);
  const withdrawn = taken.kind === 'answered' || decision.finished || isGoing(facts);
  const children = withdrawn ? [] : childrenOf(request, facts, false);
  const response = respondToTenant(context, { parent, facts, decision, taken }, children);
  if (!decision.finished) return { ...response, finalized: false };
  context.sessions.drop(parent.metadata.uid);
  const left = whatIsLeftBehind(facts, trouble);
  if (left !== null) context.log.letGo(tenantSubject(parent), left);
  return { ...response, finalized: true };
}

interface Turn<Facts extends TenantFacts, Step> {
  readonly observe: () => Promise<Observation<Facts>>;
  readonly decide: (facts: Facts, trouble?: Note) => Decision<Step>;
}

interface Turned<Facts, Step> {
  readonly facts: Facts;
  readonly decision: Decision<Step>;
  readonly taken: Taken;
  readonly trouble: Note | undefined;
}

/** One look and at most one step; after a step a second look, so that the answer tells what is and not what was done. */
async function turn<Facts extends TenantFacts, Step extends TenantStep | DescentStep>(
  context: Context,
  posted: PostgreSQLTenant,
  { observe, decide }: Turn<Facts, Step>,
): Promise<Turned<Facts, Step>> {
  const observation = await observe();
  const decision = decide(observation.facts);
  const { step, phase, first } = decision;
  const taken = await takeGuarded(context, { posted, observation, step, phase, first });
  if (taken.kind === 'none' || taken.kind === 'stale' || taken.kind === 'answered') {
    return { facts: observation.facts, decision, taken, trouble: undefined };
  }
  const { facts } = await observe();
  const trouble = taken.kind === 'failed' ? taken.trouble : undefined;
  return { facts, decision: decide(facts, trouble), taken, trouble };
}

const isGoing = ({ child }: TenantFacts): boolean =>
  child.known && child.value.kind === 'ours' && child.value.object.metadata.deletionTimestamp !== undefined;

/** Metacontroller calls so when a selector has changed, or before its finalizer is set: nothing is torn down or built. */
function leaveAlone(context: Context, request: TenantHookRequest): Response {
  return {
    status: request.parent.status ?? {},
    children: untouchedChildren(request),
    resyncAfterSeconds: context.settings.resyncSeconds,
    ...(request.finalizing ? { finalized: false } : {}),
  };
}

const recordedOf = ({ status }: PostgreSQLTenant): Recorded => ({
  phase: status?.phase,
  conditions: status?.conditions ?? [],
});
