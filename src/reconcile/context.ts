import type { CredentialStore, KubernetesReader, Servers } from './ports.ts';
import type { SessionMemory } from './session-memory.ts';

/** What a request is handled with: the parts that the process made once, and a log that knows the request. */
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
  letGo(subject: Subject, message: string): void;
}

/** Whom a line of the log is about. */
export interface Subject {
  /** `namespace/name` of a Tenant, or the name of an Instance. */
  readonly subject: string;
  readonly uid: string;
  /** Name of the Instance that it is, or that it asks for. */
  readonly instance: string;
}

export interface Act extends Subject {
  /** The recorded phase that announced the step. */
  readonly phase: string;
  readonly step: string;
  /** `ok`, the reason of the trouble, or `Bug`. */
  readonly outcome: string;
  /** What the trouble says; else what a repair puts right. */
  readonly detail?: string;
  readonly milliseconds: number;
}
