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
 * cannot be reached is waited for 10 minutes only (the row of the old UID conflicts all the same, nothing is lost).
 */
function marked(facts: DescentFacts): Verdict<DescentStep> {
  const { catalog, instance, overdue } = facts;
  if (instance.known && instance.value.kind === 'absent') return holds;
  if (!catalog.known) return overdue ? holds : cannotTell(catalog);
  const elsewhere = strayed(facts, catalog.value);
  if (elsewhere !== null) return overdue ? holds : elsewhere;
  const { row } = catalog.value;
  if (row === null) return holds;
  const running = runningStatement(catalog.value);
  if (running !== null) {
    return overdue
      ? holds
      : wait('DatabaseBusy', `PostgreSQL is running ${running} database; it goes on by itself afterwards`);
  }
  return kept(facts, catalog.value, row);
}

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
  // An interrupted step may have left a grant of ours behind: marking again takes it back.
  const membershipLeft = catalog.role.registered?.selfGranted === true && !facts.overdue;
  if (row.state === 'Retained' && registered && !membershipLeft) return holds;
  return step('Retained', 'marking the names as retained', { kind: 'MarkRetained' });
}

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
