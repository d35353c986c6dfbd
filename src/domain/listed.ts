const shown = 5;

/** Names for a message: the first few, and how many more there are. Messages must stay short whatever a server holds. */
export const listed = (names: readonly string[]): string =>
  names.length <= shown
    ? names.join(', ')
    : `${names.slice(0, shown).join(', ')} and ${names.length - shown} more`;
