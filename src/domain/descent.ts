import type { TenantPhase } from '../api/tenant.ts';
import {
  databaseExistsStill,
  externalSecretExists,
  recordExists,
  roleExistsStill,
  rowExists,
} from './existence.ts';
import type { Fact } from './fact.ts';
import type { DescentFacts } from './facts.ts';
import {
  deleteRecord,
  dropRole,
  obstacle,
  releaseNames,
  takeDatabaseDown,
} from './removal.ts';
import { retained } from './retention.ts';
import type { DescentStep } from './steps.ts';
import { cannotTell, holds, type Verdict } from './verdict.ts';
import { withdrawExternalSecret } from './withdrawal.ts';

/** What a phase means on the way down: this still exists, and this is how it goes. */
interface Landing {
  readonly phase: TenantPhase;
  readonly exists: (facts: DescentFacts) => Fact<boolean>;
  readonly remove: (facts: DescentFacts) => Verdict<DescentStep>;
}

/** The ladder read downwards: the phase is the uppermost thing that still exists. */
export const descent: readonly Landing[] = [
  { phase: 'ExternalSecretCreated', exists: externalSecretExists, remove: withdrawExternalSecret }, // the application's access
  { phase: 'DatabaseCreated',       exists: databaseExistsStill,  remove: takeDatabaseDown },       // closed, moved aside, dropped
  { phase: 'RoleCreated',           exists: roleExistsStill,      remove: dropRole },
  { phase: 'CredentialCreated',     exists: recordExists,         remove: deleteRecord },           // the whole history in OpenBao
  { phase: 'Planned',               exists: rowExists,            remove: releaseNames },           // the names are free again
];

export interface Descent {
  readonly phase: TenantPhase;
  /** What is seen not to exist any more. */
  readonly gone: readonly TenantPhase[];
  readonly step: DescentStep | null;
  readonly verdict: Verdict<DescentStep>;
  /** Nothing is left to do: the finalizer may go. */
  readonly finished: boolean;
}

/** Same checkpoint as on the way up: a step is taken only when the recorded phase says where we stand. */
export function descend(facts: DescentFacts, recorded: TenantPhase | undefined): Descent {
  const standing = standingOf(facts);
  const phase = phaseOf(standing, recorded);
  const verdict = facts.wish.deletionPolicy === 'Retain' ? retained(facts) : destroyed(facts, standing);
  const step = verdict.kind === 'step' && recorded === phase ? verdict.step : null;
  return { phase, gone: goneOf(facts), step, verdict, finished: verdict.kind === 'holds' };
}

const goneOf = (facts: DescentFacts): readonly TenantPhase[] =>
  descent.flatMap(({ phase, exists }) => {
    const fact = exists(facts);
    return fact.known && !fact.value ? [phase] : [];
  });

type Standing =
  | { readonly kind: 'on'; readonly landing: Landing }
  | { readonly kind: 'unknown'; readonly verdict: Verdict<DescentStep> }
  | { readonly kind: 'ground' };

function phaseOf(standing: Standing, recorded: TenantPhase = 'Planned'): TenantPhase {
  if (standing.kind === 'unknown') return recorded;
  return standing.kind === 'on' ? standing.landing.phase : 'Planned';
}

function standingOf(facts: DescentFacts): Standing {
  for (const landing of descent) {
    const fact = landing.exists(facts);
    if (!fact.known) return { kind: 'unknown', verdict: cannotTell(fact) };
    if (fact.value) return { kind: 'on', landing };
  }
  return { kind: 'ground' };
}

function destroyed(facts: DescentFacts, standing: Standing): Verdict<DescentStep> {
  if (standing.kind === 'ground') return holds;
  const going = () => (standing.kind === 'unknown' ? standing.verdict : standing.landing.remove(facts));
  return withWayOut(facts, obstacle(facts) ?? going());
}

/**
 * Whatever holds a deletion up may hold it up for good: the message says how to let go. Without Metacontroller's
 * finalizer it is not ours to let go.
 */
export const withWayOut = (
  { held }: DescentFacts,
  verdict: Verdict<DescentStep>,
): Verdict<DescentStep> =>
  held && (verdict.kind === 'wait' || verdict.kind === 'unknown')
    ? {
        ...verdict,
        message: `${verdict.message}. To keep everything and let the Tenant go, set spec.deletionPolicy to Retain`,
      }
    : verdict;
