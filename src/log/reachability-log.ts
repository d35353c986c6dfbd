import type { Logger } from 'pino';

import type { Call } from '../metrics/call.ts';
import type { Outcome } from '../metrics/labels.ts';

/** A system around the operator, as the log names it. */
export interface Backend {
  readonly backend: 'PostgreSQL' | 'OpenBao' | 'Kubernetes';
  /** Of PostgreSQL: the name of the Instance. */
  readonly instance?: string;
}

/** Times in milliseconds, by the clock given. */
interface Said {
  readonly reachable: boolean;
  readonly at: number;
  /** The last call that did not get through; -Infinity: none since. */
  readonly missedAt: number;
  /** The first call that got through after it; null: none yet. */
  readonly backAt: number | null;
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

/** Without a failure for so long a system is back: sessions that are open go on while every new login fails. */
const steadyMs = 30_000;

/** Far more than there are Instances: those that another replica released are never forgotten by this one. */
const maxKnown = 1_000;

/**
 * Writes one line when a system becomes unreachable and one when it is back to stay, and none for the calls in between.
 * One that goes too soon after a line is told with the first call after the quiet time, if it is still gone then.
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
    const missedAt = this.#now();
    if (said?.reachable === false) this.#said.set(key, { ...said, missedAt, backAt: null });
    if (said?.reachable === false || this.#isQuiet(said)) return;
    this.#say(key, { reachable: false, at: missedAt, missedAt, backAt: null });
    this.#logger.warn(fields, 'backend unreachable');
  }

  #reached(key: string, backend: Backend): void {
    const said = this.#said.get(key);
    if (said === undefined || said.reachable) return;
    const now = this.#now();
    const backAt = said.backAt ?? now;
    this.#said.set(key, { ...said, backAt });
    if (now - said.missedAt < steadyMs) return;
    const milliseconds = Math.round(backAt - said.at);
    this.#say(key, { reachable: true, at: now, missedAt: -Infinity, backAt: null });
    this.#logger.info({ ...backend, milliseconds }, 'backend reachable again');
  }

  #isQuiet(said: Said | undefined): boolean {
    return said !== undefined && this.#now() - said.at < quietMs;
  }

  #say(key: string, said: Said): void {
    this.#said.delete(key);
    this.#said.set(key, said);
    const [oldest] = this.#said.keys();
    if (this.#said.size > maxKnown && oldest !== undefined) this.#said.delete(oldest);
  }
}
