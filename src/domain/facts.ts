import type { Endpoint } from '../api/conditions.ts';
import type { ObservedExternalSecret } from '../api/external-secret.ts';
import type { DeletionPolicy, WishedExtension } from '../api/tenant.ts';
import type { DeletionBlockers, ExtensionOffer, InstalledExtension, TenantCatalog } from './catalog.ts';
import type { StoredCredential } from './credential.ts';
import type { Fact } from './fact.ts';
import type { RegistryView, ServerView } from './server.ts';
import type { Note } from './verdict.ts';

/** What the Tenant asks for, names already derived. */
export interface TenantWish {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly instanceName: string;
  readonly databaseName: string;
  readonly roleName: string;
  readonly extensions: readonly WishedExtension[];
  readonly deletionPolicy: DeletionPolicy;
  readonly connectionLimit: number;
  /** '' when none was asked for. */
  readonly rotation: string;
  /** Value of the confirm annotation. */
  readonly confirm: string | undefined;
  /** Since when status tells that the registry row is gone; '' while it does not. It tells one loss from the next. */
  readonly registryLostSince: string;
}

export type InstanceLookup =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'found';
      readonly uid: string;
      readonly name: string;
      readonly ready: boolean;
      /** Reason and message of its Ready condition, for when it is not. */
      readonly readiness: string;
      readonly terminating: boolean;
      readonly endpoint: Endpoint;
      readonly sslmode: string;
      /** PEM of the CA that consumers verify with; '' when the mode verifies nothing. */
      readonly certificates: string;
      /** Names that no tenant may have here: the management database, its login and its admin role. */
      readonly reserved: readonly string[];
      /** Of the server that the Instance was last accepted with, by its status; '' when nothing is recorded. */
      readonly systemIdentifier: string;
    };

/** What logging in to the tenant's database with the recorded credential showed, and when it was not tried why. */
export type Session =
  /** Role, database or credential is not there yet. */
  | { readonly kind: 'pending' }
  /** Not made yet by this replica and not urgent: what is recorded stands. */
  | { readonly kind: 'deferred' }
  | {
      readonly kind: 'proven';
      readonly installed: readonly InstalledExtension[];
      readonly offers: readonly ExtensionOffer[];
      /** Extensions whose installation this replica tried lately without success. */
      readonly failures: Readonly<Record<string, Note>>;
      /** Nothing but extensions is in the database. */
      readonly pristine: boolean;
    }
  /** The password is proven, but no connection was free to look further, or `locked`, somebody there held the look up. */
  | { readonly kind: 'authenticated'; readonly locked?: true }
  | {
      readonly kind: 'rejected';
      /** This replica has set the recorded password already, and it is still refused. */
      readonly afterReset: boolean;
    };

export type Child =
  | { readonly kind: 'absent' }
  /** An ExternalSecret of our name that is not ours. */
  | {
      readonly kind: 'foreign';
      /** It was ours and lost its owner (`--cascade=orphan`): it still hands out the credential. */
      readonly orphaned?: true;
    }
  | { readonly kind: 'ours'; readonly object: ObservedExternalSecret };

/** What every decision is made with besides the facts: this installation's own settings. */
export interface Settings {
  readonly installation: string;
  readonly store: { readonly kind: 'ClusterSecretStore' | 'SecretStore'; readonly name: string };
  /** Key of the record below the mount, as External Secrets reads it. */
  readonly credentialKey: string;
  /** The consumer's URL of the same record. */
  readonly credentialUrl: string;
}

export interface TenantFacts {
  readonly wish: TenantWish;
  readonly settings: Settings;
  readonly instance: Fact<InstanceLookup>;
  readonly namespaceAllowed: Fact<boolean>;
  readonly catalog: Fact<TenantCatalog>;
  readonly credential: Fact<StoredCredential>;
  /** Asked of the server for a first claim only; empty otherwise. */
  readonly offers: Fact<readonly ExtensionOffer[]>;
  readonly session: Fact<Session>;
  readonly child: Fact<Child>;
  /** The ExternalSecret has been there: an application may hold the credential. */
  readonly letIn: boolean;
}

/** Facts for the way down. */
export interface DescentFacts extends TenantFacts {
  readonly blockers: Fact<DeletionBlockers>;
  /** 10 minutes have passed since the deletion: Retain waits no longer for a server that cannot be reached. */
  readonly overdue: boolean;
  /** By what is recorded, a deletion may have shut a database that an application uses. */
  readonly mayBeShut: boolean;
  /** Status says that names were claimed once, or more. */
  readonly everClaimed: boolean;
  /** Metacontroller's finalizer is on the object, so that it stays until the deletion is finished. */
  readonly held: boolean;
  /** The garbage collector's finalizer on it (`kubectl delete --cascade`): children are its business meanwhile. */
  readonly collector: 'foreground' | 'orphan' | null;
}

export interface InstanceWish {
  readonly uid: string;
  readonly name: string;
  readonly generation: number;
  readonly endpoint: Endpoint;
  readonly confirm: string | undefined;
  /** What status last said; '' when nothing. Another value now is another server. */
  readonly recordedSystemIdentifier: string;
  /** The registry was there when it was last seen. */
  readonly hadRegistry: boolean;
  /** Since when status tells that it is gone; '' while it does not. It tells one loss from the next. */
  readonly registryLostSince: string;
}

export interface InstanceFacts {
  readonly wish: InstanceWish;
  readonly installation: string;
  /** Known trouble that looking again will not change (a wrong password, a pooler) is a known fact: `refused`. */
  readonly server: Fact<ServerView | { readonly refused: Note }>;
  readonly registry: Fact<RegistryView>;
  /** `namespace/name` of live Tenants that once claimed names here; looked for only where there is no registry. */
  readonly claimants: Fact<readonly string[]>;
}
