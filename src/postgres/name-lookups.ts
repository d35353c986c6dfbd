import type { LookupAddress } from 'node:dns';

/** All addresses of a host name, as the system finds them (`dns.lookup`). */
export type LookUp = (host: string) => Promise<readonly LookupAddress[]>;

interface Options {
  readonly lookUp: LookUp;
  /** Milliseconds that only grow. */
  readonly now: () => number;
}

interface Remembered {
  /** Empty: none was ever found. */
  readonly addresses: readonly LookupAddress[];
  /** When they were found. */
  readonly at: number;
  /** The last look-up took so long that others go first. */
  readonly slow: boolean;
}

interface Waiting {
  readonly answer: Promise<readonly LookupAddress[]>;
  readonly begin: () => Promise<void>;
}

/** A name service in the cluster answers within milliseconds. */
const slowMs = 500;
/** Shorter than the time to connect, so that the name is blamed and not the server. */
const longestMs = 4_000;
/** How long addresses serve while the name service says nothing. */
const rememberedMs = 600_000;

/**
 * Host names of all PostgreSQL servers, one look-up at a time: `getaddrinfo` cannot be given up, takes up to a minute
 * when a name service is silent, and libuv runs but two at a time (half of its threads). The other one is left to
 * OpenBao and the Kubernetes API. While an answer is late, the last one serves; a name without one waits for its turn, also
 * when nobody waits for the name any more, so that the next caller finds it. Names that were slow come last.
 */
export class NameLookups {
  readonly #options: Options;
  readonly #remembered = new Map<string, Remembered>();
  readonly #waiting = new Map<string, Waiting>();
  #running = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Throws what the look-up throws, and an error with the code `EAI_AGAIN` after 4 s. */
  async addressesOf(host: string): Promise<readonly LookupAddress[]> {
    const { promise: impatient, resolve, reject } = Promise.withResolvers<readonly LookupAddress[]>();
    const soon = setTimeout(() => {
      const last = this.#last(host);
      if (last.length > 0) resolve(last);
    }, slowMs);
    const late = setTimeout(() => reject(noAnswer()), longestMs);
    try {
      return await Promise.race([this.#asked(host), impatient]);
    } catch (error) {
      const last = this.#last(host);
      if (isNoAnswer(error) && last.length > 0) return last;
      throw error;
    } finally {
      clearTimeout(soon);
      clearTimeout(late);
    }
  }

  /** Joins the look-up of this name that waits or is under way. */
  #asked(host: string): Promise<readonly LookupAddress[]> {
    const waiting = this.#waiting.get(host);
    if (waiting !== undefined) return waiting.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<readonly LookupAddress[]>();
    answer.catch(() => undefined);
    this.#waiting.set(host, { answer, begin: () => this.#find(host).then(resolve, reject) });
    void this.#work();
    return answer;
  }

  async #work(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let host = this.#next(); host !== undefined; host = this.#next()) {
      await this.#waiting.get(host)?.begin();
      this.#waiting.delete(host);
    }
    this.#running = false;
  }

  #next(): string | undefined {
    const hosts = [...this.#waiting.keys()];
    return hosts.find((host) => this.#remembered.get(host)?.slow !== true) ?? hosts[0];
  }

  async #find(host: string): Promise<readonly LookupAddress[]> {
    const { lookUp, now } = this.#options;
    const start = now();
    try {
      const addresses = await lookUp(host);
      this.#remember(host, { addresses, at: now(), slow: now() - start >= slowMs });
      return addresses;
    } catch (error) {
      const addresses = isNoAnswer(error) ? this.#last(host) : [];
      const at = addresses.length > 0 ? (this.#remembered.get(host)?.at ?? now()) : now();
      this.#remember(host, { addresses, at, slow: now() - start >= slowMs });
      throw error;
    }
  }

  #last(host: string): readonly LookupAddress[] {
    const last = this.#remembered.get(host);
    return last === undefined || this.#isOld(last) ? [] : last.addresses;
  }

  #remember(host: string, found: Remembered): void {
    for (const [name, last] of this.#remembered) if (this.#isOld(last)) this.#remembered.delete(name);
    this.#remembered.set(host, found);
  }

  #isOld({ at }: Remembered): boolean {
    return this.#options.now() - at > rememberedMs;
  }
}

const noAnswer = (): Error =>
  Object.assign(new Error('the name was not looked up in time'), { code: 'EAI_AGAIN' });

const isNoAnswer = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EAI_AGAIN';
