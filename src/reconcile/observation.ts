import type { CredentialPath } from '../domain/credential.ts';
import type { TenantFacts } from '../domain/facts.ts';
import type { Secret } from '../secret.ts';
import type { Server, TenantHandle } from './ports.ts';

/** The facts of one look, and what a step needs besides them: nothing here is decided on. */
export interface Observation<Facts extends TenantFacts = TenantFacts> {
  readonly facts: Facts;
  /** When the look began, in milliseconds since the epoch: decisions grow old. */
  readonly at: number;
  readonly path: CredentialPath;
  /** undefined: the server could not be reached, or there is no Instance. */
  readonly server: Server | undefined;
  /** undefined: no catalog was read. */
  readonly handle: TenantHandle | undefined;
  /** undefined: there is no live, whole record. */
  readonly password: Secret | undefined;
  /** What a login check of now would be about; null while there is nothing to log in to. */
  readonly sessionKey: string | null;
}
