import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

/** What `meta.system_identifier` says where the service forbade asking for it. */
export const unknownSystem = 'unknown';

/** null: nothing that could be compared with anything. */
export const knownSystem = (registered: string): string | null =>
  registered === unknownSystem ? null : registered;

/** Registers the server that answers where none was known; one that was known is changed by a human's word only. */
export async function fillInSystem(connection: Connection): Promise<void> {
  const current = await connection.systemIdentifier();
  if (current === null) return;
  await connection.run(sql`
    update pgtenancy.meta set system_identifier = ${current} where system_identifier = ${unknownSystem}`);
}
