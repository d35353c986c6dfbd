import type { Change, ObjectStore } from './store.ts';
import { expired } from './status-error.ts';

/** The newest changes, for watches that begin in the past. */
export class WatchHistory {
  readonly #changes: Change[] = [];
  readonly #limit: number;
  readonly #store: ObjectStore;
  #oldest: number;

  constructor(store: ObjectStore, limit: number) {
    this.#store = store;
    this.#limit = limit;
    this.#oldest = store.version;
    store.subscribe((change) => this.#remember(change));
  }

  /** Changes after `version`; throws 410 when some of them are forgotten, or when `version` was never given out. */
  since(version: number): Change[] {
    if (version < this.#oldest || version > this.#store.version) throw expired(version, this.#oldest);
    return this.#changes.filter((change) => change.version > version);
  }

  #remember(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length <= this.#limit) return;
    this.#oldest = this.#changes.shift()?.version ?? this.#oldest;
  }
}
