import type { Reason } from '../domain/reasons.ts';
import { Trouble } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { TokenSource } from './token-source.ts';

/** A token that OpenBao has just made. */
export interface LoggedIn {
  readonly token: Secret;
  /** Counted from before the login was sent, so that it ends here before it ends there. */
  readonly lifetimeMs: number;
}

/** Told of each login; `outcome` is `ok` or the reason of the trouble. */
export type OnLogin = (login: { readonly outcome: 'ok' | Reason; readonly lifetimeMs?: number }) => void;

interface Options {
  /** Bounded in time; throws `Trouble`. */
  readonly login: () => Promise<LoggedIn>;
  /** Bounded in time; never throws. */
  readonly revoke: (token: Secret) => Promise<void>;
  readonly onLogin?: OnLogin | undefined;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
}

interface Held {
  readonly token: Secret;
  readonly refreshAt: number;
  readonly endsAt: number;
  /** Until then a 403 is not taken for the end of the token, but for a right that its policy lacks. */
  readonly quietUntil: number;
  readonly quietMs: number;
}

interface Failure {
  readonly trouble: Trouble;
  readonly until: number;
  readonly delayMs: number;
}

/** A token that is refused sooner after its login is believed to lack a right. */
export const shortestQuietMs = 5_000;
const longestQuietMs = 300_000;
/** The same for a token that is good for other calls: it may have been revoked since. */
const longestWorkingQuietMs = 30_000;
const shortestDelayMs = 1_000;
const longestDelayMs = 30_000;

/**
 * Tokens from logins. One login at a time, however many wait for it: when two thirds of a token's life are over (nobody
 * waits for that one), when it has ended, and when OpenBao refuses it. Neither a login that fails nor a policy that
 * lacks a right makes a storm of logins: after either there is a pause that doubles (1 to 30 s; 5 to 300 s, 30 s while
 * other calls go well). No pause for a token that worked, unless the last login was for a refusal and did not help.
 */
export class LoginTokens implements TokenSource {
  readonly #options: Options;
  #held: Held | undefined;
  #pending: Promise<Held> | undefined;
  #failure: Failure | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  async current(): Promise<Secret> {
    const held = this.#held;
    const now = this.#options.clock();
    if (held === undefined || now >= held.endsAt) return (await this.#loggedIn(shortestQuietMs)).token;
    // The token in hand is good until its end, so a failure is nobody's trouble yet.
    if (now >= held.refreshAt) this.#loggedIn(shortestQuietMs).catch(() => undefined);
    return held.token;
  }

  async renew(rejected: Secret): Promise<Secret> {
    const held = this.#held;
    if (held?.token.equals(rejected) !== true) return this.current();
    if (this.#options.clock() < held.quietUntil) return rejected;
    return (await this.#loggedIn(Math.min(held.quietMs * 2, longestQuietMs))).token;
  }

  worked(token: Secret, renewed: boolean): void {
    const held = this.#held;
    if (held?.token.equals(token) !== true) return;
    const trusted = renewed || held.quietMs === shortestQuietMs;
    const quietUntil = Math.min(held.quietUntil, this.#options.clock() + longestWorkingQuietMs);
    this.#held = trusted ? { ...held, quietMs: shortestQuietMs, quietUntil: 0 } : { ...held, quietUntil };
  }

  async close(): Promise<void> {
    if (this.#held !== undefined) await this.#options.revoke(this.#held.token);
  }

  /** Joins the login under way, or begins one, unless the last one failed a moment ago. */
  async #loggedIn(quietMs: number): Promise<Held> {
    if (this.#pending !== undefined) return this.#pending;
    if (this.#failure !== undefined && this.#options.clock() < this.#failure.until)
      throw this.#failure.trouble;
    this.#pending = this.#logIn(quietMs).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #logIn(quietMs: number): Promise<Held> {
    const start = this.#options.clock();
    try {
      const { token, lifetimeMs } = await this.#options.login();
      this.#failure = undefined;
      const [refreshAt, endsAt] = [start + (lifetimeMs * 2) / 3, start + lifetimeMs];
      this.#held = { token, refreshAt, endsAt, quietMs, quietUntil: this.#options.clock() + quietMs };
      this.#options.onLogin?.({ outcome: 'ok', lifetimeMs });
      return this.#held;
    } catch (error) {
      if (error instanceof Trouble) this.#failed(error);
      throw error;
    }
  }

  #failed(trouble: Trouble): void {
    const delayMs = Math.min((this.#failure?.delayMs ?? shortestDelayMs / 2) * 2, longestDelayMs);
    this.#failure = { trouble, delayMs, until: this.#options.clock() + delayMs };
    this.#options.onLogin?.({ outcome: trouble.reason });
  }
}
