/** A controller's queue: each key is handled once for any number of additions, after the current request. */
export class WorkQueue {
  readonly #keys = new Set<string>();
  readonly #handle: (key: string) => void;
  #timer: NodeJS.Immediate | undefined;
  #isStopped = false;

  constructor(handle: (key: string) => void) {
    this.#handle = handle;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    this.#keys.add(key);
    this.#timer ??= setImmediate(() => this.#drain());
  }

  stop(): void {
    this.#isStopped = true;
    this.#keys.clear();
    clearImmediate(this.#timer);
  }

  #drain(): void {
    this.#timer = undefined;
    // A set that grows while it is walked is walked to its end.
    for (const key of this.#keys) {
      this.#keys.delete(key);
      this.#handle(key);
    }
  }
}
