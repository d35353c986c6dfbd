import type { ObservedExternalSecret } from '../../src/api/external-secret.ts';
import type {
  DatabaseView,
  DeletionBlockers,
  ExtensionOffer,
  InstalledExtension,
  RegistryRow,
  RoleView,
  TenantCatalog,
} from '../../src/domain/catalog.ts';
import { desiredChild } from '../../src/domain/children.ts';
import type { CredentialRecord, StoredCredential } from '../../src/domain/credential.ts';
import { known, unknown } from '../../src/domain/fact.ts';
import type {
  Child,
  DescentFacts,
  InstanceFacts,
  InstanceLookup,
  Session,
  Settings,
  TenantFacts,
  TenantWish,
} from '../../src/domain/facts.ts';
import type { RegistryView, ServerView } from '../../src/domain/server.ts';

/*
 * The facts of a world in which everything holds, and functions that change one thing in it. Roles and databases
 * that are not ours have OIDs from 90000 on.
 */

export const wish: TenantWish = {
  uid: 'uid-tenant',
  namespace: 'shop',
  name: 'orders',
  generation: 3,
  instanceName: 'main',
  databaseName: 'shop_orders',
  roleName: 'shop_orders',
  extensions: [],
  deletionPolicy: 'Retain',
  connectionLimit: -1,
  rotation: '',
  confirm: undefined,
  registryLostSince: '2025-12-31T00:00:00Z',
};

export const settings: Settings = {
  installation: 'prod',
  store: { kind: 'ClusterSecretStore', name: 'openbao' },
  credentialKey: 'prod/shop/orders/uid-tenant',
  credentialUrl: 'https://bao.example.com/v1/kv/data/prod/shop/orders/uid-tenant',
};

type FoundInstance = Extract<InstanceLookup, { kind: 'found' }>;

export const instance: FoundInstance = {
  kind: 'found',
  uid: 'uid-instance',
  name: 'main',
  ready: true,
  readiness: 'Reached',
  terminating: false,
  endpoint: { host: 'db.example.com', hostAddress: '192.0.2.10', port: 5432 },
  sslmode: 'verify-full',
  certificates: 'PEM',
  reserved: ['management', 'operator'],
  systemIdentifier: '7000000000000000001',
};

export const row: RegistryRow = {
  tenantUid: wish.uid,
  installation: settings.installation,
  instanceUid: instance.uid,
  namespace: wish.namespace,
  name: wish.name,
  databaseName: wish.databaseName,
  roleName: wish.roleName,
  roleOid: '16400',
  databaseOid: '16401',
  state: 'Active',
};

export const role: RoleView = {
  oid: '16400',
  name: wish.roleName,
  canLogin: true,
  inherit: true,
  superuser: false,
  createDb: false,
  createRole: false,
  replication: false,
  bypassRls: false,
  connectionLimit: -1,
  expires: false,
  selfGranted: false,
};

export const database: DatabaseView = {
  oid: '16401',
  name: wish.databaseName,
  ownerOid: role.oid,
  ownerName: role.name,
  allowConnections: true,
  isTemplate: false,
  connectionLimit: -1,
  publicConnect: false,
  publicTemporary: false,
};

export const catalog: TenantCatalog = {
  observedAt: '2026-01-01 00:00:00+00',
  systemIdentifier: '7000000000000000001',
  registeredSystemIdentifier: '7000000000000000001',
  row,
  holders: [],
  role: { registered: role, named: role },
  database: { registered: database, named: database, tombstone: null },
  inFlight: null,
  manager: { superuser: true, entersDatabases: true },
};

export const record: CredentialRecord = {
  type: 'postgresql',
  provider: 'postgresql-tenant-operator',
  host: 'db.example.com',
  hostaddr: '192.0.2.10',
  port: '5432',
  database: wish.databaseName,
  username: wish.roleName,
  sslmode: 'verify-full',
  certificates: 'PEM',
  rotation: '',
};

export const live = {
  kind: 'live',
  version: 1,
  createdAt: '2026-01-01T00:00:00Z',
  record,
} as const satisfies StoredCredential;

export const proven = {
  kind: 'proven',
  installed: [],
  offers: [],
  pristine: true,
  failures: {},
} as const satisfies Session;

/** As External Secrets leaves it once it wrote that version of the record. */
export function externalSecret(
  pin: { version: number; createdAt: string } = live,
  overrides: Partial<ObservedExternalSecret> = {},
): ObservedExternalSecret {
  const { apiVersion, kind, metadata, spec } = desiredChild(wish, settings, pin, null);
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, uid: 'uid-child', generation: 1 },
    spec: { ...spec },
    status: {
      syncedResourceVersion: '1-4b9a8f',
      conditions: [{ type: 'Ready', status: 'True', reason: 'SecretSynced', message: 'secret synced' }],
    },
    ...overrides,
  };
}

/** Everything holds: a Tenant that is Ready. */
export const ready = (overrides: Partial<TenantFacts> = {}): TenantFacts => ({
  wish,
  settings,
  instance: known(instance),
  namespaceAllowed: known(true),
  catalog: known(catalog),
  credential: known(live),
  offers: known([]),
  session: known(proven),
  child: known({ kind: 'ours', object: externalSecret() }),
  letIn: true,
  ...overrides,
});

/** Nothing was done yet, and nothing stands in the way. */
export const fresh = (overrides: Partial<TenantFacts> = {}): TenantFacts =>
  ready({
    catalog: known({
      ...catalog,
      row: null,
      role: { registered: null, named: null },
      database: { registered: null, named: null, tombstone: null },
    }),
    credential: known({ kind: 'absent' }),
    session: known({ kind: 'pending' }),
    child: known({ kind: 'absent' }),
    letIn: false,
    ...overrides,
  });

export const noBlockers: DeletionBlockers = {
  dependencies: [],
  preparedTransactions: [],
  subscriptions: [],
  activeSlots: [],
};

export const leaving = (
  deletionPolicy: TenantWish['deletionPolicy'],
  overrides: Partial<DescentFacts> = {},
): DescentFacts => ({
  ...ready(),
  wish: { ...wish, deletionPolicy },
  session: known({ kind: 'pending' }),
  blockers: known(noBlockers),
  overdue: false,
  mayBeShut: false,
  everClaimed: true,
  held: true,
  collector: null,
  ...overrides,
});

/** What a read that failed leaves behind; it mends by itself. */
export const lost = unknown('ServerError', 'the last look failed');

const catalogOf = (facts: TenantFacts): TenantCatalog =>
  facts.catalog.known ? facts.catalog.value : catalog;

export const withWish = <F extends TenantFacts>(facts: F, change: Partial<TenantWish>): F => ({
  ...facts,
  wish: { ...facts.wish, ...change },
});

export const withInstance = <F extends TenantFacts>(facts: F, change: Partial<FoundInstance>): F => ({
  ...facts,
  instance: known({ ...instance, ...change }),
});

export const withCatalog = <F extends TenantFacts>(facts: F, change: Partial<TenantCatalog>): F => ({
  ...facts,
  catalog: known({ ...catalogOf(facts), ...change }),
});

export const withRow = <F extends TenantFacts>(facts: F, change: Partial<RegistryRow>): F =>
  withCatalog(facts, { row: { ...row, ...change } });

/** The role of the registered OID, still under its name. */
export const withRole = <F extends TenantFacts>(facts: F, change: Partial<RoleView>): F =>
  withCatalog(facts, { role: { registered: { ...role, ...change }, named: role } });

export const withoutRole = <F extends TenantFacts>(facts: F): F =>
  withCatalog(facts, { role: { registered: null, named: null } });

/** The database of the registered OID. */
export const withDatabase = <F extends TenantFacts>(facts: F, change: Partial<DatabaseView>): F => {
  const changed = { ...database, ...change };
  return withCatalog(facts, { database: { registered: changed, named: changed, tombstone: null } });
};

export const withoutDatabase = <F extends TenantFacts>(facts: F): F =>
  withCatalog(facts, { database: { registered: null, named: null, tombstone: null } });

/** No database has the registered OID; this one has the name. */
export const withNamedDatabase = <F extends TenantFacts>(facts: F, change: Partial<DatabaseView>): F =>
  withCatalog(facts, {
    database: { registered: null, named: { ...database, oid: '90001', ...change }, tombstone: null },
  });

/** The database was moved aside already. */
export const withTombstone = <F extends TenantFacts>(facts: F): F => {
  const aside = { ...database, name: 'pto_drop_uid-tenant', allowConnections: false };
  return withCatalog(facts, { database: { registered: aside, named: null, tombstone: aside } });
};

export const withCredential = <F extends TenantFacts>(facts: F, stored: StoredCredential): F => ({
  ...facts,
  credential: known(stored),
});

export const withRecord = <F extends TenantFacts>(facts: F, change: Partial<CredentialRecord>): F =>
  withCredential(facts, { ...live, record: { ...record, ...change } });

export const withSession = <F extends TenantFacts>(facts: F, session: Session): F => ({
  ...facts,
  session: known(session),
});

export const withChild = <F extends TenantFacts>(facts: F, child: Child): F => ({
  ...facts,
  child: known(child),
});

export const withObject = <F extends TenantFacts>(facts: F, change: Partial<ObservedExternalSecret>): F =>
  withChild(facts, { kind: 'ours', object: externalSecret(live, change) });

/** One that the server offers, trusted and with no needs, unless told otherwise. */
export const offer = (name: string, change: Partial<ExtensionOffer> = {}): ExtensionOffer => ({
  name,
  version: '1.0',
  isDefault: true,
  superuser: false,
  trusted: false,
  requires: [],
  fixedSchema: null,
  ...change,
});

export const installed = (name: string, change: Partial<InstalledExtension> = {}): InstalledExtension => ({
  name,
  version: '1.0',
  schema: 'public',
  ...change,
});

export const serverView: ServerView = {
  versionNumber: 170_010,
  version: '17.10',
  systemIdentifier: '7000000000000000001',
  inRecovery: false,
  template: { encoding: 'UTF8', locale: 'en_US.UTF-8' },
  pooled: false,
  currentUser: 'operator',
  superuser: true,
  createDb: true,
  createRole: true,
  inherits: true,
  managementDatabase: { name: 'pgtenancy', create: true },
  registry: { exists: true, foreign: [] },
  denied: [],
  certificate: { coversHost: true, coversAddress: true },
  publicConnect: [],
};

export const registryView: RegistryView = {
  schemaVersion: 1,
  minCompatibleVersion: 1,
  systemIdentifier: '7000000000000000001',
  instance: { installation: settings.installation },
  activeTenants: { count: 0, first: [] },
};

/** An Instance that is Ready. */
export const readyInstance = (overrides: Partial<InstanceFacts> = {}): InstanceFacts => ({
  wish: {
    uid: instance.uid,
    name: instance.name,
    generation: 2,
    endpoint: instance.endpoint,
    confirm: undefined,
    recordedSystemIdentifier: '7000000000000000001',
    hadRegistry: false,
    registryLostSince: '',
  },
  installation: settings.installation,
  server: known(serverView),
  registry: known(registryView),
  claimants: known([]),
  ...overrides,
});

export const withServer = (facts: InstanceFacts, change: Partial<ServerView>): InstanceFacts => ({
  ...facts,
  server: known({ ...serverView, ...change }),
});

export const withRegistry = (facts: InstanceFacts, change: Partial<RegistryView>): InstanceFacts => ({
  ...facts,
  registry: known({ ...registryView, ...change }),
});
