import { Trouble } from '../errors.ts';

interface Asked<Query, Result> {
  readonly query: Query;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Statements that may still answer it. */
  statements: number;
  again: boolean;
  answered: boolean;
}

interface Options {
  /** Milliseconds after which a statement that was sent and has not answered counts as stuck. */
  readonly patienceMs: number;
  readonly onStuck: () => void;
}

/** A second one beside one that is stuck; if that is stuck too, it is not the session. */
const mostStatements = 2;

/** Of those that a busy server turned away together, so many come back in one second. */
const perSecond = 50;

/**
 * Coalesces reads: those that wait at the same moment share one statement. A caller joins only a statement that has not
 * been sent yet, so an answer is never older than its question. One statement is under way at a time. When it is stuck,
 * perhaps on a session that died, it is sent once more with what has come since, and the first answer counts.
 */
export class Batch<Query, Result> {
  readonly #read: (ready: () => readonly Query[]) => Promise<readonly Result[]>;
  readonly #options: Options;
  #waiting: Asked<Query, Result>[] = [];
  readonly #running = new Set<symbol>();
  readonly #stuck = new Set<symbol>();

  /**
   * `read` calls `ready` once, when nothing but sending is left to do, to learn the queries (and so closes the group),
   * and returns their results in the same order.
   */
  constructor(read: (ready: () => readonly Query[]) => Promise<readonly Result[]>, options: Options) {
    this.#read = read;
    this.#options = options;
  }

  ask(query: Query): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ query, resolve, reject, statements: 1, again: false, answered: false });
      this.#start();
    });
  }

  #start(): void {
    this.#waiting = this.#waiting.filter(({ answered }) => !answered);
    const stuckOnly = this.#running.size === this.#stuck.size;
    if (this.#waiting.length === 0 || !stuckOnly || this.#running.size >= mostStatements) return;
    void this.#run();
  }

  async #run(): Promise<void> {
    const statement = Symbol();
    this.#running.add(statement);
    let group: Asked<Query, Result>[] | undefined;
    let timer: NodeJS.Timeout | undefined;
    const close = () => (group ??= this.#waiting.splice(0).filter(({ answered }) => !answered));
    try {
      const results = await this.#read(() => {
        const sent = close();
        timer = setTimeout(() => this.#getStuck(statement, sent), this.#options.patienceMs).unref();
        return sent.map(({ query }) => query);
      });
      close().forEach((asked, index) => answer(asked, results[index]));
    } catch (error) {
      // Those that came while the connection failed would only meet the same failure again.
      close().forEach((asked, index) => fail(asked, spread(error, index)));
    }
    clearTimeout(timer);
    this.#running.delete(statement);
    this.#stuck.delete(statement);
    this.#start();
  }

  #getStuck(statement: symbol, group: readonly Asked<Query, Result>[]): void {
    this.#stuck.add(statement);
    this.#options.onStuck();
    // Once, or a lock that outlasts every statement would keep the question for ever.
    const again = group.filter((asked) => !asked.again);
    for (const asked of again) {
      asked.again = true;
      asked.statements += 1;
    }
    this.#waiting.unshift(...again);
    this.#start();
  }
}

function answer<Query, Result>(asked: Asked<Query, Result>, result: Result | undefined): void {
  asked.answered = true;
  if (result === undefined) asked.reject(new Error('a batch gave fewer results than it was asked for'));
  else asked.resolve(result);
}

function fail<Query, Result>(asked: Asked<Query, Result>, error: unknown): void {
  asked.statements -= 1;
  if (asked.statements === 0) asked.reject(error);
}

/** A failure that is met by many at once must not bring them all back at once. */
function spread(error: unknown, index: number): unknown {
  const moreSeconds = Math.floor(index / perSecond);
  if (moreSeconds === 0 || !(error instanceof Trouble) || error.reason !== 'Busy') return error;
  const retryAfterSeconds = Math.min(60, (error.retryAfterSeconds ?? 1) + moreSeconds);
  return new Trouble('Busy', error.message, { retryAfterSeconds });
}
