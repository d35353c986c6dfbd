import { randomUUID } from 'node:crypto';

import type { Trouble } from '../../src/errors.ts';
import type { Server } from '../../src/reconcile/ports.ts';

/** Many calls for one server at once, and what became of them. */
export class Crowd {
  readonly outcomes: string[] = [];
  readonly retryAfter: number[] = [];
  readonly size: number;
  readonly done: Promise<void>;

  constructor(calls: readonly Promise<unknown>[]) {
    this.size = calls.length;
    this.done = Promise.all(calls.map((call) => this.#note(call))).then(() => undefined);
  }

  /** So many syncs of tenants that the server does not know yet. */
  static observing(server: Server, size: number): Crowd {
    return new Crowd(
      Array.from({ length: size }, () =>
        server.observe.tenant({ tenantUid: randomUUID(), databaseName: 'nobody', roleName: 'nobody' }),
      ),
    );
  }

  get waiting(): number {
    return this.size - this.outcomes.length;
  }

  count(outcome: string): number {
    return this.outcomes.filter((one) => one === outcome).length;
  }

  async #note(call: Promise<unknown>): Promise<void> {
    try {
      await call;
      this.outcomes.push('ok');
    } catch (error) {
      const { reason, retryAfterSeconds } = error as Trouble;
      if (retryAfterSeconds !== undefined) this.retryAfter.push(retryAfterSeconds);
      this.outcomes.push(reason);
    }
  }
}
