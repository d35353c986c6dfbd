import type { PostgreSQLInstance } from '../api/instance.ts';
import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { ObservedExternalSecret } from '../api/external-secret.ts';
import type {
  DeletionBlockers,
  ExtensionOffer,
  InstalledExtension,
  TenantCatalog,
} from '../domain/catalog.ts';
import type { CredentialPath, CredentialRecord, StoredCredential } from '../domain/credential.ts';
import type { RegistryView, ServerView } from '../domain/server.ts';
import type { ExtensionInstall, RoleRepair } from '../domain/steps.ts';
import type { Secret } from '../secret.ts';

/*
 * What the application layer needs from the world. Every method is bounded in time and throws `Trouble` for known
 * trouble; anything else that it throws is a bug. A method that finds nothing says so by its value.
 */

/** Live reads from the Kubernetes API: never from a cache that Metacontroller filled. */
export interface KubernetesReader {
  /** Single-flight and remembered for some seconds; undefined: no such Instance. */
  instance(name: string): Promise<PostgreSQLInstance | undefined>;
  /** Never remembered. */
  freshInstance(name: string): Promise<PostgreSQLInstance | undefined>;
  tenant(namespace: string, name: string): Promise<PostgreSQLTenant | undefined>;
  externalSecret(namespace: string, name: string): Promise<ObservedExternalSecret | undefined>;
  /** Labels of a Namespace; undefined: no such Namespace. */
  namespaceLabels(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** It is being deleted, or gone: nothing can be created in it. */
  namespaceEnding(name: string): Promise<boolean>;
  /** `namespace/name` of every live Tenant that names this Instance; read only to release an Instance. */
  tenantsOf(instanceName: string): Promise<readonly string[]>;
  /** Those of them whose status tells of claimed names; read also before a registry is made. */
  claimantsOf(instanceName: string): Promise<readonly string[]>;
  /** Decoded data of a Secret in the operator's own namespace, remembered for some seconds; undefined: no such Secret. */
  managementSecret(name: string): Promise<Readonly<Record<string, Secret>> | undefined>;
}

type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** Everything that decides how a server is reached and as whom. Two equal targets share one pool. */
export interface ServerTarget {
  readonly instanceUid: string;
  /** Of the PostgreSQLInstance; for logs and metrics only. */
  readonly instanceName: string;
  /** This operator's installation name. */
  readonly installation: string;
  readonly host: string;
  readonly hostAddress: string | undefined;
  readonly port: number;
  readonly managementDatabase: string;
  readonly tls: { readonly mode: TlsMode; readonly ca: string | undefined };
  readonly username: string;
  readonly password: Secret;
  readonly adminRole: string | undefined;
  readonly maxConnections: number;
}

/** The PostgreSQL adapter: one `Server` for each Instance UID; a changed target replaces the old one and its pool. */
export interface Servers {
  of(target: ServerTarget): Server;
  /** An Instance is gone: closes its pool and forgets its password. */
  forget(instanceUid: string): void;
}

/** What one replica holds on one PostgreSQL server at this moment. */
export interface ServerUsage {
  /** Name of the PostgreSQLInstance. */
  readonly instance: string;
  /** Backends that work is done on, those being opened and those that create or drop databases included. */
  readonly inUse: number;
  /** Backends that are kept for the next work. */
  readonly idle: number;
  /** Callers that wait for a backend. */
  readonly waiting: number;
  /** The last connect failed, not long ago, and no session is open. */
  readonly connectFailed: boolean;
  /** `create database` and `drop database` under way. */
  readonly longStatements: number;
  /** Calls that wait for the server, for whatever. */
  readonly calls: number;
  /** The server is asked and says nothing, so that few calls may wait for it. */
  readonly silent: boolean;
}

export interface TenantQuery {
  readonly tenantUid: string;
  /** The wished names; where the UID has a row, the row's names are looked up in their place. */
  readonly databaseName: string;
  readonly roleName: string;
}

/** What a write stands on: whose row it locks first, and when that was observed by the server's clock. */
export interface TenantHandle {
  readonly tenantUid: string;
  readonly databaseName: string;
  readonly roleName: string;
  /** The registered OIDs as observed; a write transaction refuses (`StaleDecision`) when the row says otherwise. */
  readonly roleOid: string | null;
  readonly databaseOid: string | null;
  readonly observedAt: string;
}

export type SessionResult =
  | {
      readonly kind: 'proven';
      readonly extensions: readonly InstalledExtension[];
      readonly offers: readonly ExtensionOffer[];
      /** Nothing but what extensions brought is in the database: a superuser session can trip over nothing there. */
      readonly pristine: boolean;
    }
  /** The password was proven, but there was no free connection, or `locked`, the look did not end: nothing else is known. */
  | { readonly kind: 'authenticated'; readonly locked?: true }
  /** SQLSTATE 28P01: the server does not take this password. */
  | { readonly kind: 'rejected' };

export interface Server {
  readonly observe: ServerObservation;
  readonly registry: RegistryWrites;
  readonly tenants: TenantWrites;
}

/** Reads. They never write, and those of tenants that wait at the same moment share one query. */
export interface ServerObservation {
  server(): Promise<ServerView>;
  registry(): Promise<RegistryView>;
  tenant(query: TenantQuery): Promise<TenantCatalog>;
  /** Every offered version of the named extensions (from the management database). */
  extensions(names: readonly string[]): Promise<readonly ExtensionOffer[]>;
  blockers(tenant: TenantHandle): Promise<DeletionBlockers>;
  /**
   * Logs in to the tenant's database with the application's own credential, lists extensions (`offers`: for the
   * `wanted` names) and leaves. The login is proven by `authenticationOk` after SCRAM. Throws `LoginUnverifiable`,
   * `LoginRefused`, `InstanceUnreachable`, and `StaleDecision` when the database's OID is not the registered one.
   */
  session(tenant: TenantHandle, password: Secret, wanted: readonly string[]): Promise<SessionResult>;
}

export interface RegistryWrites {
  /** Creates or migrates the schema under an advisory transaction lock. Throws `RegistryTooNew`. */
  migrate(): Promise<void>;
  /** Enters this Instance's row; a row that is there already stays. */
  registerInstance(): Promise<void>;
  /** Takes the server that answers now as the registry's own (after a human's word); `from` is what was registered. */
  acceptServer(from: string): Promise<void>;
  /** Removes this Instance's row, unless an Active tenant still names it; true when it is gone afterwards. */
  releaseInstance(): Promise<boolean>;
}

/**
 * One method for each write step. Each write transaction locks the tenant's row first (lock timeout -> `Busy`), refuses
 * (`StaleDecision`) when the row is not as the handle says or the observation is too old, and changes row and
 * catalog together. Repeating a method that already had its effect does no harm.
 */
export interface TenantWrites {
  /** Own transaction: Instance row `for key share`, neither name in the catalog, insert. Throws `Conflict`. */
  claim(tenant: TenantHandle, owner: { readonly namespace: string; readonly name: string }): Promise<void>;
  /** Role and registered OID in one transaction. Throws `Conflict` when a role of that name exists. */
  createRole(tenant: TenantHandle, password: Secret, connectionLimit: number): Promise<void>;
  repairRole(tenant: TenantHandle, repair: RoleRepair): Promise<void>;
  /** Takes back the management role's own grant of the role, if there is one that it may take back. */
  returnMembership(tenant: TenantHandle): Promise<void>;
  /** Sets the verifier of this password, by the role's registered OID. */
  setPassword(tenant: TenantHandle, password: Secret): Promise<void>;
  /** `create database` from template0, closed. Outlives the request; `Busy` when no slot is free. */
  createDatabase(tenant: TenantHandle): Promise<void>;
  /** Owner, no PUBLIC connect/temporary, connections allowed, no connection limit, self-grant revoked, OID registered: one transaction. */
  openDatabase(tenant: TenantHandle): Promise<void>;
  installExtension(tenant: TenantHandle, password: Secret, extension: ExtensionInstall): Promise<void>;
  /** Forgets the OID of a database that is gone (after a human's word); refuses while it exists. */
  forgetDatabase(tenant: TenantHandle): Promise<void>;
  /** Moves the row to this target's Instance (after a human's word); only within one installation. */
  moveToInstance(tenant: TenantHandle, fromInstanceUid: string): Promise<void>;
  retain(tenant: TenantHandle): Promise<void>;
  /** Role NOLOGIN, connections refused, IS_TEMPLATE off: one transaction. */
  close(tenant: TenantHandle): Promise<void>;
  /** Undoes `close` and `tombstone` in one transaction, then marks Retained in the same. */
  reopenRetained(tenant: TenantHandle): Promise<void>;
  /** Terminates the sessions by OID, then renames the database to `pto_drop_<uid>`. */
  tombstone(tenant: TenantHandle): Promise<void>;
  /** `drop database ... with (force)` under the tombstone name only. Outlives the request. */
  dropDatabase(tenant: TenantHandle): Promise<void>;
  /** Drops the role of the registered OID; the row forgets role and database. Throws `DeletionBlocked`. */
  dropRole(tenant: TenantHandle): Promise<void>;
  /** Deletes the row, only while role and database are seen to be gone under its lock. */
  release(tenant: TenantHandle): Promise<void>;
}

/** A credential as it is written: the record, and the password that its `uri` is made with. */
export interface NewCredential {
  readonly record: CredentialRecord;
  readonly password: Secret;
}

/** The OpenBao adapter: KV v2 records of tenants, `cas` on every write. */
export interface CredentialStore {
  /** The newest version. `password` is there when the record is live and whole. */
  read(
    path: CredentialPath,
  ): Promise<{ readonly stored: StoredCredential; readonly password: Secret | undefined }>;
  /** `cas`: 0 for the first version, else the current one. A mismatch or a lost answer is `outcomeUnknown`. */
  write(path: CredentialPath, credential: NewCredential, cas: number): Promise<void>;
  /** `DELETE metadata`, only on a node that says it is active. */
  delete(path: CredentialPath): Promise<void>;
  /** Read from the active node: true when neither data nor metadata is left. */
  isGone(path: CredentialPath): Promise<boolean>;
  /** The consumer's URL of the record's KV v2 API, without any credential. */
  url(path: CredentialPath): string;
}
