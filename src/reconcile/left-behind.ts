import type { DescentFacts } from '../domain/facts.ts';
import { notKept } from '../domain/not-kept.ts';
import type { Note } from '../domain/verdict.ts';

/**
 * What a person should know about a Tenant that is let go although something is left unfinished: names without their
 * mark, a record that nobody's row speaks for, or that what was to be kept is gone already. null: nothing.
 */
export function whatIsLeftBehind(facts: DescentFacts, trouble: Note | undefined): string | null {
  if (facts.wish.deletionPolicy !== 'Retain') return null;
  const { catalog } = facts;
  if (!catalog.known) return `retained without a mark: ${catalog.message}`;
  if (catalog.value.row?.state === 'Active')
    return `retained without a mark: ${trouble?.message ?? 'a statement is still running'}`;
  const gone = notKept(facts);
  return gone === null ? null : `retained, but ${gone}`;
}
