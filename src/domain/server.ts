/** What one management connection shows about a server. */
export interface ServerView {
  /** `server_version_num`, e.g. 170010. */
  readonly versionNumber: number;
  /** For people, e.g. "17.10". */
  readonly version: string;
  readonly systemIdentifier: string | null;
  readonly inRecovery: boolean;
  /** The backend's pid differs from BackendKeyData: something sits in between. */
  readonly pooled: boolean;
  readonly currentUser: string;
  readonly superuser: boolean;
  readonly createDb: boolean;
  readonly createRole: boolean;
  /** Under verify-full: does the certificate hold the DNS name, and the IP address where one is given? Else both true. */
  readonly certificate: { readonly coversHost: boolean; readonly coversAddress: boolean };
  /** Databases that accept connections and let PUBLIC connect, other than tenants' and template0. */
  readonly publicConnect: readonly string[];
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
