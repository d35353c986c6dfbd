/** Reads of one kind of object: those that wait at the same moment share one, and its answer holds for a while. */
export interface Memory<T> {
  get(name: string): Promise<T>;
  /** Always reads, and remembers what it found. */
  fresh(name: string): Promise<T>;
}

interface MemoryOptions<T> {
  readonly load: (name: string) => Promise<T>;
  readonly rememberMs: number;
  readonly clock: () => number;
}

/** Names come from requests that anybody may forge: more than this many are not remembered at once. */
const maxEntries = 1_000;

/** Failures are never remembered. */
export const createMemory = <T>({ load, rememberMs, clock }: MemoryOptions<T>): Memory<T> => {
  const answers = new Map<string, { readonly value: T; readonly at: number }>();
  const waiting = new Map<string, Promise<T>>();

  const fresh = async (name: string): Promise<T> => {
    // The age counts from before the request: the answer may be as old as that.
    const at = clock();
    const value = await load(name);
    const known = answers.get(name);
    if (known === undefined || known.at <= at) {
      answers.delete(name);
      answers.set(name, { value, at });
      dropOldest(answers);
    }
    return value;
  };

  const share = (name: string): Promise<T> => {
    const shared = waiting.get(name);
    if (shared !== undefined) return shared;
    const read = fresh(name).finally(() => waiting.delete(name));
    waiting.set(name, read);
    return read;
  };

  return {
    get: async (name) => {
      const known = answers.get(name);
      return known !== undefined && clock() - known.at < rememberMs ? known.value : share(name);
    },
    fresh,
  };
};

/** A Map keeps the order of insertion, so its first key is the oldest. */
const dropOldest = (answers: Map<string, unknown>): void => {
  const [oldest] = answers.keys();
  if (answers.size > maxEntries && oldest !== undefined) answers.delete(oldest);
};
