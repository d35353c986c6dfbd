import { isDeepStrictEqual } from 'node:util';

import { confirmAnnotation } from '../api/metadata.ts';
import type { PostgreSQLTenant, TenantPhase } from '../api/tenant.ts';
import type { Reason } from '../domain/reasons.ts';
import type { DescentStep, TenantStep } from '../domain/steps.ts';
import type { Note, Verdict } from '../domain/verdict.ts';
import { actOnTenant } from './act-tenant.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { collectorOf, isHeld } from './finalizers.ts';
import type { Observation } from './observation.ts';
import { tenantSubject } from './subject.ts';
import { takeStep, type Taken } from './take-step.ts';

interface Guarded {
  /** The object as it was posted. */
  readonly posted: PostgreSQLTenant;
  readonly observation: Observation;
  readonly step: TenantStep | DescentStep | null;
  /** The phase that announces the step. */
  readonly phase: TenantPhase;
  /** The verdict that everything hangs on. */
  readonly first: Verdict<unknown> | null;
}

/** What was changed underneath is worth saying in the log: nobody sees it in a condition any more. */
const repairs: readonly Reason[] = ['RoleDrifted', 'DatabaseNotHardened'];

const detailOf = (first: Verdict<unknown> | null) =>
  first?.kind === 'step' && repairs.includes(first.reason) ? { detail: first.message } : {};

/**
 * Takes the step if the live object is the one that was posted: a forged, delayed or repeated request changes
 * nothing, and the phase that announces the write is really recorded and was so before the request was made.
 */
export async function takeGuarded(
  context: Context,
  { posted, observation, step, phase, first }: Guarded,
): Promise<Taken> {
  if (step === null) return { kind: 'none' };
  const { namespace, name } = posted.metadata;
  const read = await attempt(() => context.kubernetes.tenant(namespace, name));
  if (!read.known) return { kind: 'failed', trouble: read };
  const live = read.value;
  if (live === undefined || !isSame(posted, live)) return { kind: 'stale' };
  if (posted.status?.phase !== phase || live.status?.phase !== phase) return { kind: 'stale' };
  const ending = begins(step, observation) ? await namespaceEnding(context, namespace) : null;
  if (ending !== null) return { kind: 'failed', trouble: ending };
  if (step.kind === 'PublishExternalSecret' || step.kind === 'WithdrawExternalSecret')
    return { kind: 'answered' };
  const about = { ...tenantSubject(live), phase, step: step.kind, ...detailOf(first) };
  return takeStep(context, about, () => actOnTenant(context, observation, step));
}

/** It makes something where nothing was. */
const begins = ({ kind }: TenantStep | DescentStep, { facts }: Observation): boolean =>
  kind === 'ClaimNames' ||
  (kind === 'PublishExternalSecret' && facts.child.known && facts.child.value.kind === 'absent');

/** In a namespace that is being deleted nothing can be created: asking for it again and again would only be refused. */
async function namespaceEnding({ kubernetes }: Context, namespace: string): Promise<Note | null> {
  const ending = await attempt(() => kubernetes.namespaceEnding(namespace));
  if (!ending.known) return ending;
  if (!ending.value) return null;
  const message = `namespace "${namespace}" is being deleted, so nothing new is made in it`;
  return { reason: 'NamespaceTerminating', message };
}

/** Same object, same wish, the same word of a human, and the same in whether, how and under whose hold it is to go. */
const isSame = (posted: PostgreSQLTenant, live: PostgreSQLTenant): boolean =>
  live.metadata.uid === posted.metadata.uid &&
  live.metadata.generation === posted.metadata.generation &&
  live.metadata.deletionTimestamp === posted.metadata.deletionTimestamp &&
  isHeld(live.metadata) === isHeld(posted.metadata) &&
  collectorOf(live.metadata) === collectorOf(posted.metadata) &&
  live.metadata.annotations?.[confirmAnnotation] === posted.metadata.annotations?.[confirmAnnotation] &&
  isDeepStrictEqual(live.spec, posted.spec);
