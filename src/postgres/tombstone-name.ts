import { sql, type Sql } from './sql.ts';

/**
 * The name under which a tenant's database is dropped. `drop database` goes by name and outside of any transaction;
 * this name is a function of the tenant's UID, so a late repetition can hit no other tenant's database.
 */
export const tombstoneName = (tenantUid: string): string => `pto_drop_${tenantUid.replaceAll('-', '_')}`;

/** The same in a statement, from an expression of type uuid. */
export const tombstoneNameOf = (tenantUid: Sql): Sql =>
  sql`('pto_drop_' || pg_catalog.replace(${tenantUid}::text, '-', '_'))`;

/** What a backend that creates or drops a tenant's database is called in `pg_stat_activity`: 63 bytes at most. */
export const statementMarker = (kind: 'create' | 'drop', tenantUid: string): string =>
  `pgtenancy ${kind} ${tenantUid}`;
