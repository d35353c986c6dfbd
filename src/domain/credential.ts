/** What OpenBao holds for one tenant. The password itself never enters the domain. */
export type StoredCredential =
  /** No version was ever written, or its whole history was deleted. */
  | { readonly kind: 'absent' }
  /** There was a version; the newest one is deleted or destroyed. */
  | { readonly kind: 'deleted'; readonly version: number }
  | {
      readonly kind: 'live';
      readonly version: number;
      /** The version's `created_time`: with `version` it identifies the credential even when numbering restarts. */
      readonly createdAt: string;
      /** null when the data is not a whole record of ours. */
      readonly record: CredentialRecord | null;
    };

/** The record's public part: everything but `password` and `uri`. All values are strings, as KV v2 keeps them. */
export interface CredentialRecord {
  readonly type: 'postgresql';
  readonly provider: 'postgresql-tenant-operator';
  readonly host: string;
  /** '' when the Instance has none. */
  readonly hostaddr: string;
  readonly port: string;
  readonly database: string;
  readonly username: string;
  readonly sslmode: string;
  /** PEM; '' when the Instance has no CA bundle. */
  readonly certificates: string;
  /** The `spec.credentialRotation` that the password was made for; '' when none. */
  readonly rotation: string;
}

/** Where a tenant's record lives below the mount. Each segment is a Kubernetes name or a UID. */
export interface CredentialPath {
  readonly installation: string;
  readonly namespace: string;
  readonly name: string;
  readonly tenantUid: string;
}
