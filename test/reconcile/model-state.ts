import type { ObservedExternalSecret } from '../../src/api/external-secret.ts';
import { instanceShape, type PostgreSQLInstance } from '../../src/api/instance.ts';
import { tenantShape, type PostgreSQLTenant } from '../../src/api/tenant.ts';
import type {
  DatabaseView,
  DeletionBlockers,
  ExtensionOffer,
  InstalledExtension,
  RegistryRow,
  RoleView,
} from '../../src/domain/catalog.ts';
import type { CredentialRecord } from '../../src/domain/credential.ts';
import type { ServerView } from '../../src/domain/server.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export type ModelRole = Mutable<RoleView> & { password: string };
export type ModelDatabase = Mutable<Omit<DatabaseView, 'ownerName'>> & { extensions: InstalledExtension[] };

/** null: this version was deleted. */
export type ModelVersion = {
  record: CredentialRecord | null;
  password: string;
  createdAt: string;
} | null;

/** The whole model world as plain data, so that it can be copied and compared. */
export interface ModelState {
  /** Milliseconds since the epoch. */
  now: number;
  kubernetes: {
    instances: Record<string, PostgreSQLInstance>;
    /** By `namespace/name`, as all that follow. */
    tenants: Record<string, PostgreSQLTenant>;
    externalSecrets: Record<string, ObservedExternalSecret>;
    /** What External Secrets wrote: the password of the pinned version. */
    secrets: Record<string, string>;
    namespaces: Record<string, Record<string, string>>;
    managementSecrets: Record<string, Record<string, string>>;
  };
  postgres: {
    view: Mutable<ServerView>;
    registry: { schemaVersion: number; systemIdentifier: string } | null;
    /** Instance UID to installation. */
    instances: Record<string, string>;
    rows: Record<string, Mutable<RegistryRow>>;
    roles: Record<string, ModelRole>;
    databases: Record<string, ModelDatabase>;
    offers: ExtensionOffer[];
    inFlight: 'create' | 'drop' | null;
    /** A session locks the catalog of the tenant's database: only its password can be proven. */
    catalogLocked?: boolean;
    blockers: Mutable<DeletionBlockers>;
    nextOid: number;
  };
  openbao: {
    /** By path; version 1 comes first. */
    records: Record<string, ModelVersion[]>;
    /** Every password that was ever written. */
    passwords: string[];
    writes: number;
  };
}

export const start = Date.parse('2026-03-01T12:00:00Z');
export const installation = 'prod';
export const tenantKey = 'shop/orders';
export const childKey = 'shop/orders-postgresql';
export const systemIdentifier = '7000000000000000001';

export const readyInstance = (spec: object = {}): PostgreSQLInstance =>
  instanceShape.parse({
    apiVersion: 'pgtenancy.io/v1alpha1',
    kind: 'PostgreSQLInstance',
    metadata: { name: 'main', uid: 'uid-instance', generation: 1 },
    spec: { host: 'db.example.com', managementSecretRef: { name: 'main-login' }, ...spec },
    status: {
      phase: 'Ready',
      systemIdentifier,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Reached',
          message: '',
          lastTransitionTime: '2026-03-01T11:00:00Z',
          observedGeneration: 1,
        },
      ],
    },
  });

export const newTenant = (spec: object = {}): PostgreSQLTenant =>
  tenantShape.parse({
    apiVersion: 'pgtenancy.io/v1alpha1',
    kind: 'PostgreSQLTenant',
    metadata: {
      name: 'orders',
      namespace: 'shop',
      uid: 'uid-tenant',
      generation: 1,
      finalizers: ['metacontroller.io/compositecontroller-postgresqltenant-controller'],
    },
    spec: { instanceRef: { name: 'main' }, ...spec },
    // As the API server shows one whose status nobody wrote yet.
    status: { observedGeneration: -1 },
  });

const offer = (name: string): ExtensionOffer => ({
  name,
  version: '1.0',
  isDefault: true,
  superuser: true,
  trusted: true,
  requires: [],
  fixedSchema: null,
});

/** A Ready Instance, its server with an empty registry, and one new Tenant. */
export const newState = (spec: object = {}): ModelState => ({
  now: start,
  kubernetes: {
    instances: { main: readyInstance() },
    tenants: { [tenantKey]: newTenant(spec) },
    externalSecrets: {},
    secrets: {},
    namespaces: { shop: { team: 'orders' } },
    managementSecrets: { 'main-login': { username: 'operator', password: 'management-password' } },
  },
  postgres: {
    view: {
      versionNumber: 170_010,
      version: '17.10',
      systemIdentifier,
      inRecovery: false,
      template: { encoding: 'UTF8', locale: 'en_US.UTF-8' },
      pooled: false,
      currentUser: 'operator',
      superuser: true,
      createDb: true,
      createRole: true,
      inherits: true,
      managementDatabase: { name: 'postgres', create: true },
      registry: { exists: true, foreign: [] },
      denied: [],
      certificate: { coversHost: true, coversAddress: true },
      publicConnect: [],
    },
    registry: { schemaVersion: 1, systemIdentifier },
    instances: { 'uid-instance': installation },
    rows: {},
    roles: {},
    databases: {},
    offers: [offer('hstore'), offer('citext')],
    inFlight: null,
    blockers: { dependencies: [], preparedTransactions: [], subscriptions: [], activeSlots: [] },
    nextOid: 16_400,
  },
  openbao: { records: {}, passwords: [], writes: 0 },
});
