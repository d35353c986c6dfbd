import type { Context } from './context.ts';

/** How long a deletion waits for a registry that cannot be written before whoever may be let go is let go. */
const overdueMilliseconds = 10 * 60 * 1000;

export const isOverdue = ({ clock }: Context, deletionTimestamp: string | undefined): boolean =>
  deletionTimestamp !== undefined && clock.now() - Date.parse(deletionTimestamp) > overdueMilliseconds;
