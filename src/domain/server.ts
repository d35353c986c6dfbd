/** What one management connection shows about a server. */
export interface ServerView {
  /** `server_version_num`, e.g. 170010. */
  readonly versionNumber: number;
  /** For people, e.g. "17.10". */
  readonly version: string;
  readonly systemIdentifier: string | null;
  readonly inRecovery: boolean;
  /** template0, from which databases are made; null: somebody dropped it. */
  readonly template: TemplateView | null;
  /** The backend's pid differs from BackendKeyData: something sits in between. */
  readonly pooled: boolean;
  /** The management role: `adminRole` where one is set, else the login itself. */
  readonly currentUser: string;
  readonly superuser: boolean;
  readonly createDb: boolean;
  readonly createRole: boolean;
  readonly inherits: boolean;
  /** `create`: may make a schema there. */
  readonly managementDatabase: { readonly name: string; readonly create: boolean };
  readonly registry: {
    /** Is its schema there? */
    readonly exists: boolean;
    /** What of it belongs to others than the management role, as `alter ... owner to` takes it, e.g. "table pgtenancy.meta". */
    readonly foreign: readonly string[];
  };
  /** Privileges that the operator needs and the management role has not, as `grant` takes them, e.g. "select on pgtenancy.meta". */
  readonly denied: readonly string[];
  /** Under verify-full: does the certificate hold the DNS name, and the IP address where one is given? Else both true. */
  readonly certificate: { readonly coversHost: boolean; readonly coversAddress: boolean };
  /** Databases that accept connections and let PUBLIC connect, other than tenants' and template0. */
  readonly publicConnect: readonly string[];
}

export interface TemplateView {
  /** As PostgreSQL names it, e.g. "UTF8". */
  readonly encoding: string;
  /** `datctype`, or `datcollate` where only that one is not C. */
  readonly locale: string;
}

/** What the registry in the management database says of itself and of one Instance. */
export interface RegistryView {
  /** null: no registry yet. */
  readonly schemaVersion: number | null;
  readonly minCompatibleVersion: number | null;
  readonly systemIdentifier: string | null;
  /** Is this Instance's UID entered, and by which installation? */
  readonly instance: { readonly installation: string } | null;
  /** Active tenants of this Instance: their number and the first few `namespace/name`, in order. */
  readonly activeTenants: { readonly count: number; readonly first: readonly string[] };
}

/** The version of the registry's schema that this code writes and needs. */
export const registryVersion = 1;
