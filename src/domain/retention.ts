import type { DescentFacts } from './facts.ts';
import { misplaced, withdrawExternalSecret } from './removal.ts';
import type { DescentStep } from './steps.ts';
import { strayed } from './strayed.ts';
import { cannotTell, holds, step, wait, type Verdict } from './verdict.ts';

/** Retain: mark the row, withdraw the ExternalSecret, let go. Holds when all of that is done. */
export function retained(facts: DescentFacts): Verdict<DescentStep> {
  const mark = marked(facts);
  if (mark.kind !== 'holds') return mark;
  const { child } = facts;
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
  const { row, database, role, inFlight } = catalog.value;
  const elsewhere = strayed(facts, catalog.value);
  if (elsewhere !== null) return overdue ? holds : elsewhere;
  if (row === null || row.state === 'Retained') return holds;
  if (inFlight !== null) {
    return overdue ? holds : wait('DatabaseBusy', `PostgreSQL is running ${inFlight} database`);
  }
  const shut: boolean = database.tombstone !== null || database.registered?.allowConnections === false;
  // A database whose OID was registered has been opened before; one that never was is not hardened and stays shut.
  const wasOpen = row.databaseOid !== null;
  const ours = misplaced(catalog.value) === null;
  if (ours && wasOpen && (shut || role.registered?.canLogin === false)) {
    return step('Retained', 'undoing a deletion that had begun, then retaining', { kind: 'ReopenRetained' });
  }
  return step('Retained', 'marking the names as retained', { kind: 'MarkRetained' });
}
