import type { DescentFacts } from '../domain/facts.ts';
import type { Note } from '../domain/verdict.ts';

/**
 * What a person should know about a Tenant that is let go although something is left unfinished: names without their
 * mark, a record that nobody's row speaks for, or that what was to be kept is gone already. null: nothing.
 */
export function whatIsLeftBehind(facts: DescentFacts, trouble: Note | undefined): string | null {
  if (facts.wish.deletionPolicy !== 'Retain') return null;
  const { catalog, credential } = facts;
  if (!catalog.known) return `retained without a mark: ${catalog.message}`;
  const { row, database } = catalog.value;
  const stored = credential.known && credential.value.kind !== 'absent';
  if (row === null)
    return stored ? 'let go with a record in OpenBao, but without a row in the registry' : null;
  if (row.state === 'Active')
    return `retained without a mark: ${trouble?.message ?? 'a statement is still running'}`;
  const noDatabase = database.registered === null && database.tombstone === null && database.named === null;
  const gone = noDatabase && (row.databaseOid !== null || facts.letIn);
  return gone ? `retained, but database "${row.databaseName}" is gone already` : null;
}
