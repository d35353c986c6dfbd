import type { TenantPhase } from '../api/tenant.ts';
import { admitted } from './admission.ts';
import { externalSecretPinned, projectedLoginProven, secretProjected } from './child-checks.ts';
import { namesClaimed } from './claim.ts';
import type { Rung } from './climb.ts';
import { credentialStored, recordCurrent } from './credential-checks.ts';
import { databaseExists, databaseOpened } from './database-checks.ts';
import type { TenantFacts } from './facts.ts';
import { extensionsInstalled, loginProven } from './login-checks.ts';
import { roleAsSpecified, roleExists } from './role-checks.ts';
import type { TenantStep } from './steps.ts';

/**
 * The state machine of a Tenant. A phase is reached when its checks hold, and all above it. Every check looks at facts
 * that were read back, never at what was done; one that does not hold names the step that gets there, or says whom
 * it waits for. `Planned` is the floor and always holds. What `decide` takes, what conditions say and what the
 * documentation lists comes out of this table.
 */
export const tenantLadder: readonly Rung<TenantPhase, TenantFacts, TenantStep>[] = [
  { phase: 'CredentialCreated',     checks: [admitted, namesClaimed, credentialStored] },  // the names are ours, the password is in OpenBao
  { phase: 'RoleCreated',           checks: [roleExists, roleAsSpecified] },               // the role is the one we made, as we made it
  { phase: 'DatabaseCreated',       checks: [databaseExists, databaseOpened] },            // its database is registered, closed to PUBLIC, open to it
  { phase: 'ExternalSecretCreated', checks: [recordCurrent, loginProven, extensionsInstalled, externalSecretPinned] }, // the record works and is handed over
  { phase: 'CredentialProjected',   checks: [secretProjected] },                           // External Secrets wrote that version into the Secret
  { phase: 'Ready',                 checks: [projectedLoginProven] },                      // and that version logs in
];
