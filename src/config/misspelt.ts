/** With these nobody else names a variable. KUBERNETES_ is not among them: platforms put some into every Pod. */
const ourPrefixes = ['HOOK_', 'OPENBAO_', 'SECRET_STORE_'];

/** A fault for each of `names` that is not known, but was meant to be. */
export const misspelt = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names
    .filter((name) => !known.includes(name) && ourPrefixes.some((prefix) => name.startsWith(prefix)))
    .map((name) => `- ${name} is not known: correct the name, or remove it`);
