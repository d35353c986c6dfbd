import { isDeepStrictEqual } from 'node:util';

import type { HookResponse, TenantHookRequest } from '../api/hook.ts';
import { confirmAnnotation } from '../api/metadata.ts';
import type { PostgreSQLTenant, TenantPhase, TenantStatus } from '../api/tenant.ts';
import { decideClimb, decideDescent, type Recorded } from '../domain/decide.ts';
import type { TenantFacts } from '../domain/facts.ts';
import type { DescentStep, TenantStep } from '../domain/steps.ts';
import type { Note } from '../domain/verdict.ts';
import { actOnTenant } from './act-tenant.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import type { Observation } from './observation.ts';
import { observeChild } from './observe-child.ts';
import { observeDescent } from './observe-descent.ts';
import { observeTenant } from './observe-tenant.ts';
import { asObserved, childrenOf, respondToTenant } from './respond-tenant.ts';
import { takeStep, type Taken } from './take-step.ts';

type Response = HookResponse<TenantStatus>;

/** observe -> decide -> act (at most one step) -> observe -> respond. */
export async function syncTenant(context: Context, posted: TenantHookRequest): Promise<Response> {
  const request = await withRecordedStatus(context, posted);
  const { parent } = request;
  if (parent.metadata.deletionTimestamp !== undefined) return leaveAlone(context, request);
  const before = await observeTenant(context, request);
  const decided = decideClimb(before.facts, recordedOf(parent));
  const taken = await take(context, posted, before, decided.step, decided.phase);
  const publish = decided.step?.kind === 'PublishExternalSecret' && taken.kind === 'done';
  const acted = taken.kind !== 'none' && taken.kind !== 'stale' && !publish;
  const { facts } = acted ? await observeTenant(context, request) : before;
  const trouble = taken.kind === 'failed' ? taken.trouble : undefined;
  const decision = acted ? decideClimb(facts, recordedOf(parent), trouble) : decided;
  return respondToTenant(context, { parent, facts, decision, taken }, childrenOf(facts, publish));
}

/** The same on the way down. `finalized: true` only once nothing is left, or all that may be kept is marked as kept. */
export async function finalizeTenant(context: Context, posted: TenantHookRequest): Promise<Response> {
  const request = await withRecordedStatus(context, posted);
  const { parent } = request;
  if (parent.metadata.deletionTimestamp === undefined) return leaveAlone(context, request);
  const before = await observeDescent(context, request);
  const decided = decideDescent(before.facts, recordedOf(parent));
  const taken = await take(context, posted, before, decided.step, decided.phase);
  const withdrawn = decided.step?.kind === 'WithdrawExternalSecret' && taken.kind === 'done';
  const acted = taken.kind !== 'none' && taken.kind !== 'stale' && !withdrawn;
  const { facts } = acted ? await observeDescent(context, request) : before;
  const trouble = taken.kind === 'failed' ? taken.trouble : undefined;
  const decision = acted ? decideDescent(facts, recordedOf(parent), trouble) : decided;
  const going =
    facts.child.known && facts.child.value.kind === 'ours' && isDeleting(facts.child.value.object);
  const children = withdrawn || going || decision.finished ? [] : childrenOf(facts, false);
  const response = respondToTenant(context, { parent, facts, decision, taken }, children);
  if (!decision.finished) return { ...response, finalized: false };
  context.sessions.drop(parent.metadata.uid);
  const unmarked = facts.wish.deletionPolicy === 'Retain' ? whyUnmarked(facts, trouble) : null;
  if (unmarked !== null) context.log.letGo(subjectOf(parent), `retained without a mark: ${unmarked}`);
  return { ...response, finalized: true };
}

/**
 * The posted object with the status that is recorded now. What Metacontroller posts comes from its cache and may be one
 * write behind: an answer built on the older of two statuses would be written, the newer one be posted next, and so on
 * without end.
 */
async function withRecordedStatus(
  { kubernetes }: Context,
  request: TenantHookRequest,
): Promise<TenantHookRequest> {
  const { parent } = request;
  const { namespace, name, uid } = parent.metadata;
  const live = await attempt(() => kubernetes.tenant(namespace, name));
  if (!live.known || live.value?.metadata.uid !== uid) return request;
  return { ...request, parent: { ...parent, status: live.value.status } };
}

/** Why the row could not be marked in time; null when it says Retained, or when there is none of ours to mark. */
function whyUnmarked({ catalog }: TenantFacts, trouble: Note | undefined): string | null {
  if (!catalog.known) return catalog.message;
  return catalog.value.row?.state === 'Active' ? (trouble?.message ?? 'a statement is still running') : null;
}

const isDeleting = ({ metadata }: { metadata: { deletionTimestamp?: string | undefined } }): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Metacontroller calls so when a selector has changed, or before its finalizer is set: nothing is torn down or built. */
async function leaveAlone(context: Context, request: TenantHookRequest): Promise<Response> {
  const { parent } = request;
  const child = await observeChild(context.kubernetes, request);
  const observed = child.known && child.value.kind === 'ours' ? [asObserved(child.value.object)] : [];
  return {
    status: parent.status ?? {},
    children: observed,
    resyncAfterSeconds: context.settings.resyncSeconds,
    ...(request.finalizing ? { finalized: false } : {}),
  };
}

const recordedOf = ({ status }: PostgreSQLTenant): Recorded => ({
  phase: status?.phase,
  conditions: status?.conditions ?? [],
});

const subjectOf = ({ metadata }: PostgreSQLTenant): string => `${metadata.namespace}/${metadata.name}`;

/**
 * Takes the step if the live object is still the one that it was decided for: a forged, delayed or repeated request
 * changes nothing, and the phase that announces the write is really recorded and was so before the request was made.
 */
async function take(
  context: Context,
  { parent }: TenantHookRequest,
  observation: Observation,
  step: TenantStep | DescentStep | null,
  phase: TenantPhase,
): Promise<Taken> {
  if (step === null) return { kind: 'none' };
  const { metadata } = parent;
  const read = await attempt(() => context.kubernetes.tenant(metadata.namespace, metadata.name));
  if (!read.known) return { kind: 'failed', trouble: read };
  const live = read.value;
  if (live === undefined || !isSame(parent, live)) return { kind: 'stale' };
  if (parent.status?.phase !== phase || live.status?.phase !== phase) return { kind: 'stale' };
  return takeStep(context, subjectOf(parent), step.kind, () => actOnTenant(context, observation, step));
}

/** Same object, same wish, the same word of a human, and the same in whether it is to go. */
const isSame = (parent: PostgreSQLTenant, live: PostgreSQLTenant): boolean =>
  live.metadata.uid === parent.metadata.uid &&
  live.metadata.generation === parent.metadata.generation &&
  live.metadata.deletionTimestamp === parent.metadata.deletionTimestamp &&
  live.metadata.annotations?.[confirmAnnotation] === parent.metadata.annotations?.[confirmAnnotation] &&
  isDeepStrictEqual(live.spec, parent.spec);
