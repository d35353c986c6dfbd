import type { Session } from '../domain/facts.ts';
import type { Note } from '../domain/verdict.ts';

/** A remembered login check: it answers for one credential, role, database and generation only. */
interface Entry {
  readonly key: string;
  /** undefined: not made yet (put off after a restart), or made void by a step. */
  readonly session: Session | undefined;
  readonly dueAt: number;
  readonly passwordSet: boolean;
  readonly failures: Readonly<Record<string, Note>>;
}

interface Options {
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

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
    if (entry?.session === undefined || entry.dueAt <= this.#options.now()) return undefined;
    return entry.session.kind === 'proven' ? { ...entry.session, failures: entry.failures } : entry.session;
  }

  remember(tenantUid: string, key: string, session: Session): void {
    const before = this.#current(tenantUid, key);
    // Failures live as long as one check: after that the installation is tried again.
    const expired = before?.session !== undefined && before.dueAt <= this.#options.now();
    this.#put(tenantUid, {
      key,
      session,
      dueAt: this.#options.now() + this.#interval(this.#options.minSeconds),
      passwordSet: expired ? false : (before?.passwordSet ?? false),
      failures: expired ? {} : (before?.failures ?? {}),
    });
  }

  /** True while a check that this replica has never made may still wait; the first call draws when it is due. */
  mayDefer(tenantUid: string, key: string): boolean {
    const entry = this.#current(tenantUid, key);
    if (entry !== undefined) return entry.session === undefined && entry.dueAt > this.#options.now();
    if (this.#entries.has(tenantUid)) return false;
    this.#put(tenantUid, {
      key,
      session: undefined,
      dueAt: this.#options.now() + this.#interval(0),
      passwordSet: false,
      failures: {},
    });
    return true;
  }

  /** The world was changed by a step: look again, but keep what was tried. */
  forget(
    tenantUid: string,
    tried: { readonly passwordSet?: true; readonly failure?: Record<string, Note> } = {},
  ): void {
    const entry = this.#entries.get(tenantUid);
    if (entry === undefined) return;
    this.#put(tenantUid, {
      ...entry,
      session: undefined,
      dueAt: 0,
      passwordSet: entry.passwordSet || tried.passwordSet === true,
      failures: { ...entry.failures, ...tried.failure },
    });
  }

  passwordWasSet(tenantUid: string, key: string): boolean {
    return this.#current(tenantUid, key)?.passwordSet ?? false;
  }

  failuresOf(tenantUid: string, key: string): Readonly<Record<string, Note>> {
    return this.#current(tenantUid, key)?.failures ?? {};
  }

  drop(tenantUid: string): void {
    this.#entries.delete(tenantUid);
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
