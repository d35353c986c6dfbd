import type { Session } from '../domain/facts.ts';
import type { Note } from '../domain/verdict.ts';

/** What is known of one login, for one credential, role, database and generation only. */
interface Entry {
  readonly key: string;
  /** undefined: not made yet (put off after a restart), or made void by a step. */
  readonly session: Session | undefined;
  /** Milliseconds since the epoch: when the check is to be made again, or for the first time. */
  readonly dueAt: number;
  /** Until then a password that is refused is not set once more. */
  readonly passwordSetUntil: number;
  readonly failures: Readonly<Record<string, Note>>;
  /** Until then an installation that failed is not tried again. */
  readonly failuresUntil: number;
  /** For how long a look that is held up was put off last; 0: the last one was not. */
  readonly putOffSeconds: number;
}

interface Options {
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** A look that the tenant holds up costs its neighbours a backend for a moment: at first, and at most. */
const putOff = { firstSeconds: 5, lastSeconds: 60 } as const;

/** More tenants than one replica serves; the oldest entry goes first. */
const capacity = 20_000;

/**
 * What this replica remembers of login checks, so that tenants at rest are logged in to once in a while only. It may
 * be lost at any time: a check that is missing is made again, spread over the interval.
 */
export class SessionMemory {
  readonly #entries = new Map<string, Entry>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The remembered result, while it is fresh and for this key. */
  recall(tenantUid: string, key: string): Session | undefined {
    const entry = this.#current(tenantUid, key);
    return entry === undefined || this.#isDue(entry) ? undefined : entry.session;
  }

  /** Only for a result that asks for no step: another replica may take it, and this one would not see the outcome. */
  remember(tenantUid: string, key: string, session: Session): void {
    const dueMs = this.#interval(this.#options.minSeconds);
    this.#keep(tenantUid, { key, session, dueMs, putOffSeconds: 0 });
  }

  /** Something in the tenant's database holds the look up: it is made again after a time that doubles. */
  putOff(tenantUid: string, key: string, session: Session): void {
    const { firstSeconds, lastSeconds } = putOff;
    const before = this.#entries.get(tenantUid)?.putOffSeconds ?? 0;
    const putOffSeconds = Math.min(lastSeconds, Math.max(firstSeconds, 2 * before));
    this.#keep(tenantUid, { key, session, dueMs: 1000 * putOffSeconds, putOffSeconds });
  }

  /** True while a check that this replica has never made may still wait; the first call draws when it is due. */
  mayDefer(tenantUid: string, key: string): boolean {
    const entry = this.#current(tenantUid, key);
    if (entry !== undefined) return entry.session === undefined && !this.#isDue(entry);
    if (this.#entries.has(tenantUid)) return false;
    const dueAt = this.#options.now() + this.#interval(0);
    const nothing = {
      session: undefined,
      passwordSetUntil: 0,
      failures: {},
      failuresUntil: 0,
      putOffSeconds: 0,
    };
    this.#put(tenantUid, { key, dueAt, ...nothing });
    return true;
  }

  /** The world was changed by a step: look again at once, and keep what was tried. */
  tried(
    tenantUid: string,
    key: string,
    what: { readonly passwordSet?: true; readonly failure?: Readonly<Record<string, Note>> } = {},
  ): void {
    const now = this.#options.now();
    const later = now + this.#interval(this.#options.minSeconds);
    const before = this.#current(tenantUid, key)?.failuresUntil ?? 0;
    this.#put(tenantUid, {
      key,
      session: undefined,
      dueAt: now,
      passwordSetUntil: what.passwordSet === true ? later : 0,
      failures: { ...this.failuresOf(tenantUid, key), ...what.failure },
      failuresUntil: what.failure === undefined ? before : later,
      putOffSeconds: this.#entries.get(tenantUid)?.putOffSeconds ?? 0,
    });
  }

  passwordWasSet(tenantUid: string, key: string): boolean {
    return (this.#current(tenantUid, key)?.passwordSetUntil ?? 0) > this.#options.now();
  }

  /** What failed lately; after a while it is forgotten, and the installation is tried again. */
  failuresOf(tenantUid: string, key: string): Readonly<Record<string, Note>> {
    const entry = this.#current(tenantUid, key);
    return entry === undefined || entry.failuresUntil <= this.#options.now() ? {} : entry.failures;
  }

  drop(tenantUid: string): void {
    this.#entries.delete(tenantUid);
  }

  #keep(
    tenantUid: string,
    { dueMs, ...look }: Pick<Entry, 'key' | 'session' | 'putOffSeconds'> & { readonly dueMs: number },
  ): void {
    this.#put(tenantUid, {
      ...look,
      dueAt: this.#options.now() + dueMs,
      passwordSetUntil: 0,
      failures: this.failuresOf(tenantUid, look.key),
      failuresUntil: this.#current(tenantUid, look.key)?.failuresUntil ?? 0,
    });
  }

  #isDue({ dueAt }: Entry): boolean {
    return dueAt <= this.#options.now();
  }

  #current(tenantUid: string, key: string): Entry | undefined {
    const entry = this.#entries.get(tenantUid);
    return entry?.key === key ? entry : undefined;
  }

  #put(tenantUid: string, entry: Entry): void {
    this.#entries.delete(tenantUid);
    this.#entries.set(tenantUid, entry);
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size > capacity && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Milliseconds: a random time from `minSeconds` to the configured maximum. */
  #interval(minSeconds: number): number {
    return 1000 * (minSeconds + this.#options.random() * (this.#options.maxSeconds - minSeconds));
  }
}
