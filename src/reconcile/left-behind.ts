import type { DescentFacts } from '../domain/facts.ts';
import { notKept } from '../domain/not-kept.ts';
import { otherServer } from '../domain/other-server.ts';
import { strayed } from '../domain/strayed.ts';
import type { Note } from '../domain/verdict.ts';

/**
 * What a person should know about a Tenant that is let go although something is left unfinished: names without their
 * mark, a record that nobody's row speaks for, a step that failed, or that what was to be kept is gone already. null:
 * nothing.
 */
export function whatIsLeftBehind(facts: DescentFacts, trouble: Note | undefined): string | null {
  if (facts.wish.deletionPolicy !== 'Retain') return null;
  const unmarked = whyUnmarked(facts);
  if (unmarked !== null) return `retained without a mark: ${trouble?.message ?? unmarked}`;
  const left = [trouble?.message, notKept(facts)].filter((what) => typeof what === 'string');
  return left.length === 0 ? null : `retained, but ${left.join('; ')}`;
}

/** null: the row is marked, or there is none. */
function whyUnmarked(facts: DescentFacts): string | null {
  const { catalog } = facts;
  if (!catalog.known) return catalog.message;
  const other = otherServer(facts, catalog.value);
  if (other !== null) return other.message;
  if (catalog.value.row?.state !== 'Active') return null;
  const elsewhere = strayed(facts, catalog.value);
  return elsewhere?.kind === 'wait' ? elsewhere.message : 'a statement is still running';
}
