/** A name as it stands in SQL, for statements in messages that somebody pastes. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
