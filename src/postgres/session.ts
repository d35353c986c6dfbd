import { z } from 'zod';

import type { InstalledExtension } from '../domain/catalog.ts';
import type { SessionResult, TenantHandle } from '../reconcile/ports.ts';
import type { Secret } from '../secret.ts';
import { readOffers } from './extension-offers.ts';
import type { ServerContext } from './server-context.ts';
import { isPristine } from './pristine.ts';
import { sql } from './sql.ts';
import { asTenant } from './tenant-session.ts';

const installedShape: z.ZodType<InstalledExtension> = z.object({
  name: z.string(),
  version: z.string(),
  schema: z.string(),
});

/** Logs in as the application does, looks at the extensions and leaves. */
export async function observeSession(
  server: ServerContext,
  tenant: TenantHandle,
  password: Secret,
  wanted: readonly string[],
): Promise<SessionResult> {
  const seen = await asTenant(server, tenant, password, async (connection) => {
    const extensions = await connection.rows(
      installedShape,
      sql`
        select e.extname::text as name, e.extversion as version, n.nspname::text as schema
          from pg_catalog.pg_extension e
          join pg_catalog.pg_namespace n on n.oid = e.extnamespace
         order by e.extname`,
    );
    const offers = await readOffers(connection, wanted);
    return { extensions, offers, pristine: await isPristine(connection) };
  });
  if (seen === 'locked') return { kind: 'authenticated', locked: true };
  return typeof seen === 'string' ? { kind: seen } : { kind: 'proven', ...seen };
}
