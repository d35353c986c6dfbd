import { z } from 'zod';

import type { ExtensionOffer } from '../domain/catalog.ts';
import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

const offerShape: z.ZodType<ExtensionOffer> = z.object({
  name: z.string(),
  version: z.string(),
  isDefault: z.boolean(),
  superuser: z.boolean(),
  trusted: z.boolean(),
  requires: z.array(z.string()),
  fixedSchema: z.string().nullable(),
});

/** Every version of the named extensions that the server has files for. Reads all control files (about 10 ms). */
export async function readOffers(
  connection: Connection,
  names: readonly string[],
): Promise<ExtensionOffer[]> {
  if (names.length === 0) return [];
  return await connection.rows(
    offerShape,
    sql`
      select v.name::text as name, v.version,
             coalesce(v.version = a.default_version, false) as "isDefault",
             v.superuser, v.trusted,
             coalesce(v.requires::text[], '{}') as requires,
             v.schema::text as "fixedSchema"
        from pg_catalog.pg_available_extension_versions v
        join pg_catalog.pg_available_extensions a on a.name = v.name
       where v.name = any (${names}::name[])
       order by v.name, v.version`,
  );
}
