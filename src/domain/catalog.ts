/** What PostgreSQL says about one tenant, from one read at one moment. OIDs are decimal strings. */
export interface TenantCatalog {
  /** The server's own clock at the read, as `timestamptz` text; write transactions check its age. */
  readonly observedAt: string;
  /** `pg_control_system()`, or null where the service forbids it. */
  readonly systemIdentifier: string | null;
  /** What the registry's meta row was made for. */
  readonly registeredSystemIdentifier: string;
  /** The row of this tenant's UID, whoever's Instance it names. */
  readonly row: RegistryRow | null;
  /** Rows of other tenants that hold one of the names. */
  readonly holders: readonly RegistryRow[];
  readonly role: { readonly registered: RoleView | null; readonly named: RoleView | null };
  readonly database: {
    /** By the registered OID. */
    readonly registered: DatabaseView | null;
    /** By the name (the row's, else the wished one). */
    readonly named: DatabaseView | null;
    /** Under `pto_drop_<uid>`. */
    readonly tombstone: DatabaseView | null;
  };
  /** A `create` or `drop database` of this tenant that a backend is still running. */
  readonly inFlight: 'create' | 'drop' | null;
  readonly manager: ManagerView;
}

/** The management role, as far as a tenant's decisions hang on it. */
export interface ManagerView {
  readonly superuser: boolean;
  /** Its login is a superuser too: before a session becomes `adminRole` it gets into no tenant's database otherwise. */
  readonly entersDatabases: boolean;
}

export interface RegistryRow {
  readonly tenantUid: string;
  readonly installation: string;
  readonly instanceUid: string;
  readonly namespace: string;
  readonly name: string;
  readonly databaseName: string;
  readonly roleName: string;
  readonly roleOid: string | null;
  readonly databaseOid: string | null;
  readonly state: 'Active' | 'Retained';
}

export interface RoleView {
  readonly oid: string;
  readonly name: string;
  readonly canLogin: boolean;
  readonly inherit: boolean;
  readonly superuser: boolean;
  readonly createDb: boolean;
  readonly createRole: boolean;
  readonly replication: boolean;
  readonly bypassRls: boolean;
  readonly connectionLimit: number;
  /** True when `valid until` is set to a time (not infinity). */
  readonly expires: boolean;
  /** The management role is a member of it by a grant of its own (a self-grant to be revoked). */
  readonly selfGranted: boolean;
}

export interface DatabaseView {
  readonly oid: string;
  readonly name: string;
  readonly ownerOid: string;
  readonly ownerName: string;
  readonly allowConnections: boolean;
  readonly isTemplate: boolean;
  /** -1 no limit, 0 nobody, -2 an interrupted drop. */
  readonly connectionLimit: number;
  readonly publicConnect: boolean;
  readonly publicTemporary: boolean;
}

/** One extension version that the server offers. */
export interface ExtensionOffer {
  readonly name: string;
  readonly version: string;
  readonly isDefault: boolean;
  readonly superuser: boolean;
  readonly trusted: boolean;
  readonly requires: readonly string[];
  /** Set when the control file fixes the schema. */
  readonly fixedSchema: string | null;
}

/** An extension that is installed in the tenant's database. */
export interface InstalledExtension {
  readonly name: string;
  readonly version: string;
  readonly schema: string;
}

/** What stands in the way of a deletion, as `pg_catalog` names it; all empty when nothing does. */
export interface DeletionBlockers {
  /** e.g. "6 objects in database other"; from `pg_shdepend`, the tenant's own database left out. */
  readonly dependencies: readonly string[];
  readonly preparedTransactions: readonly string[];
  readonly subscriptions: readonly string[];
  readonly activeSlots: readonly string[];
}
