interface Waiting<Query, Result> {
  readonly query: Query;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Coalesces reads: those that wait at the same moment share one statement. A caller joins only a statement that has not
 * been sent yet, so an answer is never older than its question. One statement is under way at a time.
 */
export class Batch<Query, Result> {
  readonly #read: (ready: () => readonly Query[]) => Promise<readonly Result[]>;
  #waiting: Waiting<Query, Result>[] = [];
  #running = false;

  /**
   * `read` calls `ready` once, when nothing but sending is left to do, to learn the queries (and so closes the group),
   * and returns their results in the same order.
   */
  constructor(read: (ready: () => readonly Query[]) => Promise<readonly Result[]>) {
    this.#read = read;
  }

  ask(query: Query): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject });
      if (!this.#running) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) await this.#runOnce();
    this.#running = false;
  }

  async #runOnce(): Promise<void> {
    let group: Waiting<Query, Result>[] | undefined;
    const close = () => (group ??= this.#waiting.splice(0));
    try {
      const results = await this.#read(() => close().map(({ query }) => query));
      close().forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('a batch gave fewer results than it was asked for'));
        else resolve(result);
      });
    } catch (error) {
      // Those that came while the connection failed would only meet the same failure again.
      for (const { reject } of close()) reject(error);
    }
  }
}
