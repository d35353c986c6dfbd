import type { Reason } from '../domain/reasons.ts';
import { Trouble } from '../errors.ts';
import { FailureMemory } from './failure-memory.ts';
import { RetryPlan } from './retry-plan.ts';
import { WaitingCalls, type CallKind } from './waiting-calls.ts';

/** What a look for a sign of life found: one, none yet, or that the peer answers nothing. */
export type Sign = 'alive' | 'unsure' | Trouble;

interface PeerGateOptions {
  /** Who it is, for the messages, e.g. "PostgreSQL". */
  readonly peer: string;
  /** The reason of the `Trouble` of a call that got no answer. */
  readonly unreachable: Reason;
  /** So many calls may wait for a peer that is silent. */
  readonly budget: number;
  /** Milliseconds without any answer after which it is. */
  readonly silentMs: number;
  /** Milliseconds after which it is known at the latest whether a silent peer lives. */
  readonly concludeMs: number;
  /** How long silence is remembered once it is proven: at first, and at most. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Trouble that makes every call futile, known from elsewhere; with `due` also what it is time to try again. */
  readonly known?: (due: boolean) => Trouble | undefined;
  /** Looks for a sign of life in bounded time; must not throw. Without it the calls themselves have to show one. */
  readonly check?: () => Promise<Sign>;
  /** The peer was given up: what waits for its answers waits in vain. */
  readonly onDeath?: () => void;
}

/** A check that found life is not repeated each second for one statement that takes its time. */
const longestPatience = 4;

/** Of one call; only to spread those that come back. */
const paceMs = 20;

/**
 * Everybody's way to one peer (a PostgreSQL server, OpenBao, the Kubernetes API). While the peer answers, calls pass.
 * When it has said nothing for a second although it was asked, only a few calls may go on waiting, and the others are
 * turned away with `Busy`: Metacontroller's few workers are shared by all objects, and one peer that hangs must not hold
 * them. What is turned away goes on by itself and is bounded by its own limits; its effect is seen by the next call. A
 * peer that is proven silent is remembered, and calls are told so at once.
 */
export class PeerGate {
  readonly #options: PeerGateOptions;
  readonly #memory: FailureMemory;
  readonly #plan: RetryPlan;
  readonly #calls = new WaitingCalls();
  #heardAt = Number.NEGATIVE_INFINITY;
  #silentSince: number | undefined;
  #patienceMs: number;
  #timer: NodeJS.Timeout | undefined;
  #checking = false;
  /** Calls that were let through to see whether a known trouble is over. */
  #probes = 0;

  constructor(options: PeerGateOptions) {
    const { firstRetryMs: firstMs, lastRetryMs: lastMs, now } = options;
    this.#options = options;
    this.#memory = new FailureMemory({ firstMs, lastMs, now });
    this.#plan = new RetryPlan(now);
    this.#patienceMs = options.silentMs;
  }

  /** Callers that wait for the peer now. */
  get waiting(): number {
    return this.#calls.size;
  }

  /** True while the peer is asked and says nothing, and until it says something again. */
  get silent(): boolean {
    return this.#silentSince !== undefined;
  }

  /** Makes a call, or throws `Busy` or the remembered trouble in its place; either may also end the wait for it. */
  async pass<T>(call: () => Promise<T>, kind: CallKind = 'read'): Promise<T> {
    const known = this.#known(this.#probes > 0);
    if (known !== undefined) throw known;
    if (this.silent && this.#calls.size >= this.#options.budget) throw this.#busy();
    const waiting = this.#calls.add(kind, this.#options.now());
    const work = this.#made(call, kind);
    this.#watch();
    try {
      return await Promise.race([work, waiting.sentAway]);
    } finally {
      this.#calls.remove(waiting);
    }
  }

  /** The call with its outcome heard, also when its caller was sent away meanwhile. */
  async #made<T>(call: () => Promise<T>, kind: CallKind): Promise<T> {
    const since = this.#options.now();
    const probe = this.#known(true) !== undefined;
    if (probe) this.#probes += 1;
    try {
      const result = await call();
      if (kind !== 'outlived') this.#hear();
      return result;
    } catch (error) {
      this.#judge(error, since);
      throw error;
    } finally {
      if (probe) this.#probes -= 1;
    }
  }

  /** A lock says as little as nothing; any other word of the peer is a sign of life. */
  #judge(error: unknown, since: number): void {
    const { unreachable, check, silentMs } = this.#options;
    if (!(error instanceof Trouble) || error.reason === 'Busy') return;
    if (error.reason !== unreachable) this.#hear();
    else if (this.#quietMs(since) >= silentMs && (check === undefined || this.#memory.last !== undefined))
      this.#giveUp(error);
  }

  #hear(): void {
    this.#alive();
    this.#patienceMs = this.#options.silentMs;
    this.#memory.forget();
  }

  #alive(): void {
    this.#heardAt = this.#options.now();
    this.#silentSince = undefined;
  }

  #giveUp(trouble: Trouble): void {
    this.#memory.remember(trouble);
    this.#silentSince ??= this.#options.now();
    this.#options.onDeath?.();
    this.#calls.sendAwayAll(trouble);
  }

  #watch(): void {
    const oldest = this.#calls.oldestSince;
    if (this.#timer !== undefined || oldest === undefined) return;
    const dueMs = Math.max(1, this.#patienceMs - (this.silent ? 0 : this.#quietMs(oldest)));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
      this.#watch();
    }, dueMs);
    this.#timer.unref();
  }

  #look(): void {
    const oldest = this.#calls.oldestSince;
    if (oldest === undefined || this.#quietMs(oldest) < this.#patienceMs) return;
    this.#silentSince ??= this.#options.now();
    const known = this.#known(true);
    if (known !== undefined) {
      this.#calls.sendAwayAll(known);
      return;
    }
    this.#calls.sendAwayBeyond(this.#options.budget, () => this.#busy());
    void this.#check();
  }

  async #check(): Promise<void> {
    const { check, silentMs } = this.#options;
    if (check === undefined || this.#checking) return;
    this.#checking = true;
    const sign = await check().finally(() => (this.#checking = false));
    if (sign instanceof Trouble) this.#giveUp(sign);
    if (sign !== 'alive') return;
    this.#alive();
    this.#patienceMs = Math.min(2 * this.#patienceMs, longestPatience * silentMs);
  }

  #known(due: boolean): Trouble | undefined {
    return this.#options.known?.(due) ?? (due ? this.#memory.last : this.#memory.trouble);
  }

  #quietMs(since: number): number {
    return this.#options.now() - Math.max(this.#heardAt, since);
  }

  #busy(): Trouble {
    const { peer, concludeMs, now } = this.#options;
    const leftMs = (this.#silentSince ?? now()) + concludeMs - now();
    const retryAfterSeconds = this.#plan.next(Math.max(0, leftMs), paceMs);
    return new Trouble('Busy', `${peer} is silent, and enough calls wait for it`, { retryAfterSeconds });
  }
}
