import { z } from 'zod';

import type { DatabaseView, ManagerView, RegistryRow, RoleView, TenantCatalog } from '../domain/catalog.ts';

/** OIDs are unsigned and may pass 2^31: they travel as text. */
const oid = z.string().regex(/^\d+$/);

const registryRow: z.ZodType<RegistryRow> = z.object({
  tenantUid: z.string(),
  installation: z.string(),
  instanceUid: z.string(),
  namespace: z.string(),
  name: z.string(),
  databaseName: z.string(),
  roleName: z.string(),
  roleOid: oid.nullable(),
  databaseOid: oid.nullable(),
  state: z.enum(['Active', 'Retained']),
});

const role: z.ZodType<RoleView> = z.object({
  oid,
  name: z.string(),
  canLogin: z.boolean(),
  inherit: z.boolean(),
  superuser: z.boolean(),
  createDb: z.boolean(),
  createRole: z.boolean(),
  replication: z.boolean(),
  bypassRls: z.boolean(),
  connectionLimit: z.int(),
  expires: z.boolean(),
  selfGranted: z.boolean(),
});

const database: z.ZodType<DatabaseView> = z.object({
  oid,
  name: z.string(),
  ownerOid: oid,
  ownerName: z.string(),
  allowConnections: z.boolean(),
  isTemplate: z.boolean(),
  connectionLimit: z.int(),
  publicConnect: z.boolean(),
  publicTemporary: z.boolean(),
});

const manager: z.ZodType<ManagerView> = z.object({ superuser: z.boolean(), entersDatabases: z.boolean() });

/** What one row of the tenant read says; the registry may have lost its meta row. */
interface TenantCatalogRow extends Omit<TenantCatalog, 'systemIdentifier' | 'registeredSystemIdentifier'> {
  readonly registeredSystemIdentifier: string | null;
}

export const tenantCatalogRow: z.ZodType<TenantCatalogRow> = z.object({
  observedAt: z.string(),
  registeredSystemIdentifier: z.string().nullable(),
  row: registryRow.nullable(),
  holders: z.array(registryRow),
  role: z.object({ registered: role.nullable(), named: role.nullable() }),
  database: z.object({
    registered: database.nullable(),
    named: database.nullable(),
    tombstone: database.nullable(),
  }),
  inFlight: z.enum(['create', 'drop']).nullable(),
  manager,
});
