import type { Logger } from 'pino';

import type { Call } from './metrics/call.ts';
import type { Outcome } from './metrics/labels.ts';

/** A system around the operator, as the log names it. */
export interface Backend {
  readonly backend: 'PostgreSQL' | 'OpenBao' | 'Kubernetes';
  /** Of PostgreSQL: the name of the Instance. */
  readonly instance?: string;
}

interface Said {
  readonly reachable: boolean;
  /** Milliseconds, by the clock given. */
  readonly at: number;
}

/** What no call gets beyond. Other trouble is an answer, or says nothing about the system. */
const unreachable: ReadonlySet<Outcome> = new Set<Outcome>([
  'InstanceUnreachable',
  'TLSVerificationFailed',
  'AuthenticationFailed',
  'AdminRoleUnusable',
  'InsecureAuthentication',
  'ManagementDatabaseMissing',
  'OpenBaoUnreachable',
  'OpenBaoSealed',
  'OpenBaoLoginFailed',
  'KubernetesUnreachable',
]);

/** A system that comes and goes with each call writes no more than one line in this time. */
const quietMs = 10_000;

/** Far more than there are Instances: those that another replica released are never forgotten by this one. */
const maxKnown = 1_000;

/**
 * Writes one line when a system becomes unreachable and one when it is back, and none for the calls in between. A change
 * that comes too soon after a line is written with the first call after the quiet time, if it still holds then.
 */
export class ReachabilityLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #said = new Map<string, Said>();

  /** `now`: milliseconds that only grow. */
  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** `key` tells systems apart, e.g. the UID of an Instance. */
  called(key: string, backend: Backend, { outcome, message }: Pick<Call, 'outcome' | 'message'>): void {
    if (outcome === 'ok') this.#reached(key, backend);
    else if (unreachable.has(outcome)) this.#missed(key, { ...backend, reason: outcome, detail: message });
  }

  forget(key: string): void {
    this.#said.delete(key);
  }

  #missed(key: string, fields: object): void {
    const said = this.#said.get(key);
    if (said?.reachable === false || this.#isQuiet(said)) return;
    this.#say(key, false);
    this.#logger.warn(fields, 'backend unreachable');
  }

  #reached(key: string, backend: Backend): void {
    const said = this.#said.get(key);
    if (said === undefined || said.reachable || this.#isQuiet(said)) return;
    const milliseconds = Math.round(this.#now() - said.at);
    this.#say(key, true);
    this.#logger.info({ ...backend, milliseconds }, 'backend reachable again');
  }

  #isQuiet(said: Said | undefined): boolean {
    return said !== undefined && this.#now() - said.at < quietMs;
  }

  #say(key: string, reachable: boolean): void {
    this.#said.delete(key);
    this.#said.set(key, { reachable, at: this.#now() });
    const [oldest] = this.#said.keys();
    if (this.#said.size > maxKnown && oldest !== undefined) this.#said.delete(oldest);
  }
}
