import { z } from 'zod';

import { Trouble } from '../errors.ts';
import type { Connection } from './connection.ts';
import { sql } from './sql.ts';

const tablesShape = z.object({ count: z.int() });
const rowsShape = z.object({ meta: z.boolean(), tenants: z.boolean() });

/** What there is of the registry; `empty`: its tables, with neither meta row nor tenants. */
type Presence = 'none' | 'empty' | 'whole';

/**
 * Tells a registry that was never made from one that lost a part of itself: taken for a new one, it would get another
 * identity, and tenants could be claimed beside those that it forgot. Throws `RegistryMissing` for the latter.
 */
export async function registryPresence(connection: Connection): Promise<Presence> {
  const { count } = await connection.row(
    tablesShape,
    sql`
      select count(*)::integer as "count"
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'pgtenancy' and c.relname in ('meta', 'instance', 'tenant')`,
  );
  if (count === 0) return 'none';
  if (count < 3) throw lost('a table');
  const { meta, tenants } = await connection.row(
    rowsShape,
    sql`
      select exists (select from pgtenancy.meta) as "meta", exists (select from pgtenancy.tenant) as "tenants"`,
  );
  if (meta) return 'whole';
  if (tenants) throw metaRowLost();
  return 'empty';
}

export const metaRowLost = (): Trouble => lost('its meta row');

const lost = (what: string): Trouble =>
  new Trouble('RegistryMissing', `the registry has lost ${what}; restore schema pgtenancy from a backup`);
