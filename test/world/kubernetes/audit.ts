/** One write request that the API answered, also when it refused it. */
export interface AuditEntry {
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** `plural.group`; just the plural in the core group. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** undefined for a create with `generateName` that was refused. */
  readonly name: string | undefined;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly userAgent: string;
  /** HTTP status of the answer. */
  readonly code: number;
}
