/** With these nobody else names a variable. KUBERNETES_ is not among them: platforms put some into every Pod. */
const ourPrefixes = ['HOOK_', 'OPENBAO_', 'SECRET_STORE_'];
/** In a shorter name two letters make another word of it. */
const shortestCompared = 8;

/** A fault for each of `names` that is not known, but was meant to be. */
export const misspelt = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      if (meant !== undefined) return [`- ${name} is not known; was ${meant} meant?`];
      const isOurs = ourPrefixes.some((prefix) => name.startsWith(prefix));
      return isOurs ? [`- ${name} is not known: correct the name, or remove it`] : [];
    });

/** The known name that is nearest, and at most two letters away. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length < shortestCompared) return undefined;
  const near = known.map((other) => ({ other, letters: distance(name, other) }));
  const [first] = near.filter(({ letters }) => letters <= 2).sort((a, b) => a.letters - b.letters);
  return first?.other;
}

/** Letters to be put in, left out or replaced (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [above, letter] of Array.from(from).entries()) {
    const next = [above + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const [skipBoth = 0, skipOne = 0] = row.slice(column);
      next.push(Math.min(skipBoth + (letter === other ? 0 : 1), skipOne + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
