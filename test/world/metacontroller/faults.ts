import type { KubeObject } from '../kubernetes/client.ts';

/** What a test can make go wrong. The numbers may be changed at any time while the stand-in runs. */
export interface Faults {
  /** Every n-th sync sees the parent as it was one write earlier (1: every other one); 0: none. */
  staleParent: number;
  /** Every n-th hook call is sent twice at the same time, as after a timeout; the second answer counts. 0: none. */
  duplicate: number;
  /** So many status writes are lost from now on: as if Metacontroller died after the hook had its effect. */
  dropStatusWrite: number;
  /** So many writes of children are lost from now on: nothing after them in that sync happens either. */
  dropChildWrite: number;
  /** Hook calls are abandoned after this time in place of the hook's own timeout. */
  timeoutAfterMs: number | undefined;
  /** Is waited for before each hook call: a test looks, or changes something, while nothing else happens to the object. */
  beforeCall: ((hook: string, parent: KubeObject) => Promise<unknown>) | undefined;
}

/** The sync ended as if the process had died in the middle: no event, no further write, only another try. */
export class Interrupted extends Error {
  constructor(lost: string) {
    super(`interrupted before ${lost}`);
    this.name = 'Interrupted';
  }
}

/** Decides, one occasion after the other, whether a fault happens now. */
export class FaultInjector {
  readonly faults: Faults;
  readonly #stale = new Set<string>();
  #syncs = 0;
  #calls = 0;

  constructor(faults: Partial<Faults> = {}) {
    this.faults = {
      staleParent: 0,
      duplicate: 0,
      dropStatusWrite: 0,
      dropChildWrite: 0,
      timeoutAfterMs: undefined,
      beforeCall: undefined,
      ...faults,
    };
  }

  /** Never twice in a row for one parent: the watch event that brings the newest version does arrive. */
  staleParentNow(key: string): boolean {
    if (this.#stale.delete(key)) return false;
    this.#syncs += 1;
    const now = this.faults.staleParent > 0 && this.#syncs % this.faults.staleParent === 0;
    if (now) this.#stale.add(key);
    return now;
  }

  duplicateNow(): boolean {
    this.#calls += 1;
    return this.faults.duplicate > 0 && this.#calls % this.faults.duplicate === 0;
  }

  beforeStatusWrite(): void {
    if (this.faults.dropStatusWrite <= 0) return;
    this.faults.dropStatusWrite -= 1;
    throw new Interrupted('a status write');
  }

  beforeChildWrite(): void {
    if (this.faults.dropChildWrite <= 0) return;
    this.faults.dropChildWrite -= 1;
    throw new Interrupted('a write of a child');
  }
}
