import type { Reason } from '../domain/reasons.ts';

/** Losses that a person may accept by annotation, and what the operator then does. */
export const confirmations: Partial<Readonly<Record<Reason, string>>> = {
  CredentialLost: 'writes a record with a new password',
  CredentialInvalid: 'replaces the record by one with a new password',
  DatabaseLost: 'creates a new, empty database',
  RegistryLost: 'claims the names again; offered only while they are free',
  InstanceChanged: "moves the Tenant's row to the Instance that it names now (within one installation only)",
  SystemIdentifierChanged: 'goes on with the server that answers now (on the Instance)',
};
