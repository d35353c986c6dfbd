import { entersDatabases, judgeExtension, type ExtensionJudgement } from './extensions.ts';
import type { Session, TenantFacts } from './facts.ts';
import { roleExists } from './role-checks.ts';
import type { ExtensionInstall, TenantStep } from './steps.ts';
import {
  cannotTell,
  holds,
  pending,
  step,
  told,
  toldStep,
  wait,
  type Note,
  type Verdict,
} from './verdict.ts';

/** The server takes the recorded password: proven by logging in with it. */
export function loginProven(facts: TenantFacts): Verdict<TenantStep> {
  const { session, wish } = facts;
  if (!session.known) return cannotTell(session);
  switch (session.value.kind) {
    case 'pending':
      return pending;
    case 'deferred':
    case 'authenticated':
    case 'proven':
      return holds;
    case 'rejected':
      // Under another name than the recorded one there is nothing to set.
      if (roleExists(facts).kind !== 'holds') return pending;
      return session.value.afterReset
        ? wait(
            'PasswordRefused',
            `PostgreSQL refuses the recorded password of role "${wish.roleName}" even after it was set again; ask the database administrator who else changes it, and whether pg_hba.conf sends this role elsewhere`,
          )
        : step('PasswordRejected', 'setting the recorded password again', { kind: 'SetPassword' });
  }
}

type Proven = Extract<Session, { kind: 'proven' }>;

/**
 * Every listed extension is installed. Before the application is let in a missing or bad one holds everything up; one
 * that is appended or turns bad later is told in its own condition, installed beside if it can be, and holds up nothing.
 */
export function extensionsInstalled(facts: TenantFacts): Verdict<TenantStep> {
  const { session, wish } = facts;
  if (wish.extensions.length === 0) return holds;
  if (!session.known) return cannotTell(session);
  if (session.value.kind === 'deferred') return holds;
  // Nothing was seen of them: before the application is in that holds it up, afterwards what is recorded stands.
  const heldUp = lookHeldUp(facts);
  if (heldUp !== null) return facts.letIn ? holds : wait(heldUp.reason, heldUp.message);
  if (session.value.kind !== 'proven') return pending;
  const judged = judgeAll(facts, session.value);
  const next = nextInstall(judged);
  if (next !== undefined) {
    const ask = facts.letIn ? toldStep<TenantStep> : step<TenantStep>;
    return ask('ExtensionsMissing', `installing extension "${next.name}"`, {
      kind: 'InstallExtension',
      extension: next,
    });
  }
  if (judged.every(({ kind }) => kind === 'installed')) return holds;
  const bad = judged.find((judgement) => judgement.kind === 'bad') ?? circular;
  return facts.letIn ? told(bad.reason, bad.message) : wait(bad.reason, bad.message);
}

/** Those of the management role go first: they need a database in which the tenant owns nothing yet. */
function nextInstall(judged: readonly ExtensionJudgement[]): ExtensionInstall | undefined {
  const installs = judged.flatMap((judgement) =>
    judgement.kind === 'installable' ? [judgement.install] : [],
  );
  return installs.find((install) => install.as === 'management') ?? installs[0];
}

/** Why the listed extensions could not be looked at although the login works; null where they could be, or there are none. */
export function lookHeldUp({ session, wish }: TenantFacts): Note | null {
  if (!session.known || session.value.kind !== 'authenticated' || wish.extensions.length === 0) return null;
  return session.value.locked === true
    ? { reason: 'LockHeld', message: catalogLocked(wish.databaseName) }
    : { reason: 'LoginDelayed', message: crowded(wish) };
}

/** Of what its own sessions hold up, in a database that the tenant rules. */
export const catalogLocked = (database: string): string =>
  `a session holds a lock on the catalog of database "${database}", or what is asked of it takes too long; wait, or have a database administrator find it in pg_stat_activity and end it`;

const crowded = ({ databaseName, roleName }: TenantFacts['wish']): string =>
  `role "${roleName}" has no connection to database "${databaseName}" left, so the extensions cannot be looked at; it is tried again, and goes on once sessions end or spec.connectionLimit is raised`;

const circular: Note = {
  reason: 'ExtensionRequires',
  message: 'the listed extensions need each other in a circle; ask the database administrator to install one',
};

function judgeAll(facts: TenantFacts, session: Proven): readonly ExtensionJudgement[] {
  const { wish, letIn } = facts;
  const context = {
    offers: session.offers,
    installed: session.installed,
    listed: wish.extensions.map(({ name }) => name),
    superuser: entersDatabases(facts),
    untouched: !letIn && session.pristine,
    database: wish.databaseName,
  };
  return wish.extensions.map((wished) => {
    const judgement = judgeExtension(wished, context);
    const failure = session.failures[wished.name];
    return judgement.kind === 'installable' && failure !== undefined
      ? { kind: 'bad', ...failure }
      : judgement;
  });
}
