import type { DatabaseView, RegistryRow, TenantCatalog } from './catalog.ts';
import { interruptedDrop, ownDatabase } from './database-checks.ts';
import { existingDatabase, runningStatement } from './existence.ts';
import type { DescentFacts } from './facts.ts';
import { misplaced } from './removal.ts';
import type { DescentStep } from './steps.ts';
import { strayed } from './strayed.ts';
import { cannotTell, holds, step, wait, type Verdict } from './verdict.ts';
import { withdrawExternalSecret } from './withdrawal.ts';

/** Retain: undo what a deletion had begun, mark the row, withdraw the ExternalSecret, let go. Holds when that is done. */
export function retained(facts: DescentFacts): Verdict<DescentStep> {
  const mark = marked(facts);
  if (mark.kind !== 'holds') return mark;
  const { child, collector, held } = facts;
  // Orphaning is to leave it; and without our finalizer Metacontroller touches no child: it goes with its owner.
  if (collector === 'orphan' || !held) return holds;
  if (!child.known) return facts.overdue ? holds : cannotTell(child);
  return child.value.kind === 'ours' ? withdrawExternalSecret(facts) : holds;
}

/**
 * The row says Retained, or there is no row of ours to mark. An Instance that does not exist has none; a server that
 * cannot be reached is waited for 10 minutes only (the row of the old UID conflicts all the same, nothing is lost),
 * unless a deletion may have shut the database.
 */
function marked(facts: DescentFacts): Verdict<DescentStep> {
  const { catalog, instance } = facts;
  const over = mayLetGo(facts);
  if (instance.known && instance.value.kind === 'absent') return holds;
  if (!catalog.known) return over ? holds : cannotTell(catalog);
  const elsewhere = strayed(facts, catalog.value);
  if (elsewhere !== null) return over ? holds : elsewhere;
  const { row } = catalog.value;
  if (row === null) return holds;
  const running = runningStatement(catalog.value);
  if (running !== null) {
    return over
      ? holds
      : wait('DatabaseBusy', `PostgreSQL is running ${running} database; it goes on by itself afterwards`);
  }
  return kept(facts, catalog.value, row);
}

/**
 * Retain has waited long enough. What a deletion may have shut is not let go before it is seen to be open: nobody could
 * log in to it, and the wish to retain may have come only a moment ago.
 */
export function mayLetGo(facts: DescentFacts): boolean {
  if (!facts.overdue || !facts.mayBeShut) return facts.overdue;
  const { catalog } = facts;
  return catalog.known && strayed(facts, catalog.value) === null && !isShut(catalog.value);
}

/**
 * How long what holds Retain up is waited for. A server that is gone for good would be waited for for ever where
 * something may be shut: the message says how to end that.
 */
export function withLastResort(facts: DescentFacts, verdict: Verdict<DescentStep>): Verdict<DescentStep> {
  if (verdict.kind !== 'wait' && verdict.kind !== 'unknown') return verdict;
  if (verdict.reason === 'Deleting') return verdict;
  if (!facts.overdue && !facts.mayBeShut) {
    return { ...verdict, message: `${verdict.message}. ${letGoLater}` };
  }
  return facts.overdue && !mayLetGo(facts)
    ? {
        ...verdict,
        message: `${verdict.message}. The deletion that had begun may have shut database and role, so the Tenant is kept until they are open again; if the server is gone for good, take its finalizers off: kubectl -n ${facts.wish.namespace} patch postgresqltenant ${facts.wish.name} --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`,
      }
    : verdict;
}

const letGoLater =
  'If it stays so, the Tenant is let go 10 minutes after its deletion all the same, and its names stay reserved';

/** A mark alone proves nothing: the policy may have been Delete again since it was set, and a deletion have begun. */
function kept(facts: DescentFacts, catalog: TenantCatalog, row: RegistryRow): Verdict<DescentStep> {
  if (misplaced(catalog) === null) {
    const taken = takenName(catalog, row);
    if (taken === null && isShut(catalog)) {
      return step('Retained', 'undoing a deletion that had begun, then retaining', {
        kind: 'ReopenRetained',
      });
    }
    if (taken !== null && !facts.overdue) return taken;
  }
  const own = ownDatabase(catalog);
  const registered = own === null || own.oid === row.databaseOid;
  if (row.state !== 'Retained' || !registered) {
    return step('Retained', 'marking the names as retained', { kind: 'MarkRetained' });
  }
  if (!membershipLeft(catalog)) return holds;
  return step('Retained', 'taking back a membership that an interrupted step left', {
    kind: 'ReturnMembership',
  });
}

/** Of a role that became a superuser only a superuser can take it back. */
const membershipLeft = ({ role: { registered }, manager }: TenantCatalog): boolean =>
  registered?.selfGranted === true && (manager.superuser || !registered.superuser);

/** What is kept is kept in use: hardened, open, its role able to log in, however far it had come up or down. */
function isShut(catalog: TenantCatalog): boolean {
  const existing = existingDatabase(catalog);
  const shut =
    existing !== null &&
    isUsable(existing) &&
    (catalog.database.tombstone !== null || !existing.allowConnections);
  return shut || catalog.role.registered?.canLogin === false;
}

const isUsable = ({ connectionLimit }: DatabaseView): boolean => connectionLimit !== interruptedDrop;

/** Somebody made a database of its name while ours was aside. */
function takenName({ database }: TenantCatalog, row: RegistryRow): Verdict<DescentStep> | null {
  const { tombstone, named } = database;
  if (tombstone === null || !isUsable(tombstone) || named === null) return null;
  return wait(
    'Conflict',
    `database "${tombstone.name}" of this Tenant cannot be named "${row.databaseName}" again, because another one is by now; a database administrator must rename that one`,
  );
}
