import type { CredentialStore, KubernetesReader, Servers } from './ports.ts';
import type { SessionMemory } from './session-memory.ts';

/** What every request is handled with; made once by the process. */
export interface Context {
  readonly kubernetes: KubernetesReader;
  readonly servers: Servers;
  readonly credentials: CredentialStore;
  readonly sessions: SessionMemory;
  readonly settings: OperatorSettings;
  readonly clock: Clock;
  /** One line for each act and for nothing else. */
  readonly log: ActLog;
}

export interface OperatorSettings {
  readonly installation: string;
  readonly store: { readonly kind: 'ClusterSecretStore' | 'SecretStore'; readonly name: string };
  /** PEM bundle for Instances that bring none. */
  readonly defaultCa: string | undefined;
  /** How long an object that needs nothing is left alone. */
  readonly resyncSeconds: number;
}

interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface ActLog {
  acted(act: Act): void;
  /** Something was let go although it could not be finished: a person may want to know. */
  letGo(subject: string, message: string): void;
}

export interface Act {
  /** `namespace/name` of a Tenant, or the name of an Instance. */
  readonly subject: string;
  readonly step: string;
  /** `ok`, or the reason of the trouble. */
  readonly outcome: string;
  readonly milliseconds: number;
}
