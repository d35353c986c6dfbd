/** The first few of many names, and how many there are in all. */
export interface BoundedList {
  readonly names: readonly string[];
  readonly count: number;
}

/** How many names an observation carries at most: a server may hold any number of them, a status may not. */
export const mostNames = 20;

/** At most `most` names and, where there are more, a last entry that says how many. */
export function withCount({ names, count }: BoundedList, most = mostNames): string[] {
  const shown = names.slice(0, most);
  return count > shown.length ? [...shown, `and ${count - shown.length} more`] : shown;
}
