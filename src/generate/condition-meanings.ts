import type { InstanceConditionType } from '../api/instance.ts';
import type { TenantConditionType } from '../api/tenant.ts';

const stalled =
  'Present, and True, only while something holds the object up that will not mend itself. Reason and message say what a person must do.';

const reconciling =
  'Present, and True, only while `Ready` stays True although the newest generation of `spec` is not done: what it changes cannot be looked at now, or an extension is on its way. Reason and message say what for.';

/** What each condition says when it is True. */
export const tenantConditionMeanings: Readonly<Record<TenantConditionType, string>> = {
  CredentialCreated:
    'The Tenant was admitted, its names are claimed, and its credential is in OpenBao. A Tenant that is not admitted is told why here.',
  RoleCreated: 'The login role is there, as it should be.',
  DatabaseCreated: 'The database is there, owned by the role, closed to PUBLIC.',
  ExtensionsInstalled:
    'Every listed extension is installed. One that is added later and fails lowers nothing else.',
  ExternalSecretCreated:
    'The record is current, its login works, and the ExternalSecret is pinned to that version.',
  CredentialProjected: 'The Secret holds that version.',
  Ready: 'All of the above. While it is False it has the reason of the first thing that does not hold.',
  Reconciling: reconciling,
  Stalled: stalled,
};

export const instanceConditionMeanings: Readonly<Record<InstanceConditionType, string>> = {
  Connected: 'The server answers the management login and is one that can be used.',
  RightsSufficient:
    'The management role may do all that the operator does. The message names a missing right in SQL.',
  RegistryReady: 'The registry is there, in a version that this operator can use.',
  PublicClosed:
    'PUBLIC may not connect to the databases around the tenants. Advice only: it holds up nothing.',
  Ready:
    'Tenants may be placed on it. While it is False it has the reason of the first thing that does not hold.',
  Reconciling: reconciling,
  Stalled: stalled,
};
