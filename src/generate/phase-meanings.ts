import type { InstancePhase } from '../api/instance.ts';
import type { TenantPhase } from '../api/tenant.ts';

interface PhaseMeaning {
  /** What was read back and holds in this phase, beyond that of the phases before it. */
  readonly up: string;
  /** While deleting: what still exists. null: a phase that is never stood on while deleting. */
  readonly down: string | null;
}

export const tenantPhaseMeanings: Readonly<Record<TenantPhase, PhaseMeaning>> = {
  Planned: {
    up: 'Seen. Outside Kubernetes there is nothing of it yet, or only the claim of its names in the registry.',
    down: 'Only the names in the registry.',
  },
  CredentialCreated: {
    up: 'Database and role name are claimed in the registry, and the credential is in OpenBao.',
    down: 'The record in OpenBao.',
  },
  RoleCreated: {
    up: 'The login role exists with the attributes and the connection limit that it should have.',
    down: 'The login role.',
  },
  DatabaseCreated: {
    up: 'The database exists, belongs to that role, is closed to PUBLIC and accepts connections.',
    down: 'The database.',
  },
  ExternalSecretCreated: {
    up: 'The record is current, PostgreSQL takes its password, the extensions are installed, and the ExternalSecret is pinned to that version.',
    down: 'The ExternalSecret, and with it the Secret.',
  },
  CredentialProjected: { up: 'External Secrets wrote that version into the Secret.', down: null },
  Ready: { up: 'The credential that the Secret holds was proven by logging in with it.', down: null },
};

export const instancePhaseMeanings: Readonly<Record<InstancePhase, string>> = {
  Planned: 'Seen; nothing is proven yet.',
  Connected:
    'The management login works, and what answers is the primary itself: no pooler, no standby, PostgreSQL 15 or newer, the same server as before, under the names that consumers verify.',
  RegistryReady:
    'The management role has the rights that it needs, and the registry is there in a usable version.',
  Ready: 'The registry knows this Instance; Tenants may be placed on it.',
};
