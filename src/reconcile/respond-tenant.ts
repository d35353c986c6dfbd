import {
  externalSecretApiVersion,
  externalSecretKey,
  repeatableExternalSecretShape,
  type DesiredExternalSecret,
} from '../api/external-secret.ts';
import type { HookResponse, TenantHookRequest } from '../api/hook.ts';
import type { PostgreSQLTenant, TenantStatus } from '../api/tenant.ts';
import { newestPin } from '../domain/child-checks.ts';
import { desiredChild, pinOf, secretName } from '../domain/children.ts';
import { judge } from '../domain/climb.ts';
import { recordCurrent } from '../domain/credential-checks.ts';
import type { Decision } from '../domain/decide.ts';
import type { TenantFacts } from '../domain/facts.ts';
import { loginProven } from '../domain/login-checks.ts';
import { tenantStatus } from '../domain/status.ts';
import type { Context } from './context.ts';
import { resyncAfter } from './pace.ts';
import type { Taken } from './take-step.ts';
import { timestamp } from './timestamp.ts';

export interface TenantAnswer {
  readonly parent: PostgreSQLTenant;
  readonly facts: TenantFacts;
  readonly decision: Decision<{ readonly kind: string }>;
  readonly taken: Taken;
}

/** The whole answer: the complete status, the complete list of children, and what brings the next call. */
export function respondToTenant(
  { settings, clock }: Context,
  { parent, facts, decision, taken }: TenantAnswer,
  children: readonly DesiredExternalSecret[],
): HookResponse<TenantStatus> {
  const now = clock.now();
  const recorded = parent.status ?? {};
  const status = tenantStatus(facts, decision, recorded, timestamp(now));
  const resync = resyncAfter(settings, {
    uid: facts.wish.uid,
    phaseChanged: status.phase !== recorded.phase,
    taken,
    first: decision.first,
    ready: status.conditions?.find(({ type }) => type === 'Ready'),
    now,
  });
  return { status, children, ...(resync === undefined ? {} : { resyncAfterSeconds: resync }) };
}

/**
 * The child that belongs into the answer. Once it was observed it stays, whatever a lower rung does: a child that is
 * left out is deleted, and with it the application's Secret. It moves to the newest record only when that is current
 * and was proven to log in; until then it keeps the pin that was observed. `publish`: the step to create or move it
 * was decided.
 */
export function childrenOf(
  request: TenantHookRequest,
  facts: TenantFacts,
  publish: boolean,
): readonly DesiredExternalSecret[] {
  const observed = facts.child.known && facts.child.value.kind === 'ours' ? facts.child.value.object : null;
  if (observed === null && !publish) return untouchedChildren(request);
  const proven = publish || judge([recordCurrent, loginProven], facts).kind === 'holds';
  const pin = (proven ? newestPin(facts) : null) ?? (observed === null ? null : pinOf(observed));
  if (pin !== null) return [desiredChild(facts.wish, facts.settings, pin, observed)];
  return untouchedChildren(request);
}

/**
 * Nothing better is known: the child that Metacontroller observed is to stay as it is. Throws when it cannot even be
 * repeated, which the shape of the request rules out: an error leaves everything as it is, a list without the child
 * would delete it.
 */
export function untouchedChildren({ parent, children }: TenantHookRequest): readonly DesiredExternalSecret[] {
  const { namespace, name } = parent.metadata;
  const posted = children[externalSecretKey]?.[`${namespace}/${secretName(name)}`];
  if (posted === undefined) return [];
  const { metadata, spec } = repeatableExternalSecretShape.parse(posted);
  return [
    {
      apiVersion: externalSecretApiVersion,
      kind: 'ExternalSecret',
      metadata: { name: metadata.name, namespace, labels: metadata.labels ?? {} },
      spec,
    },
  ];
}
