import { Trouble } from '../errors.ts';

/** `outlived`: a write that may return before its statement has ended, so that its return is no sign of life. */
export type CallKind = 'read' | 'write' | 'outlived';

interface WaitingCall {
  readonly kind: CallKind;
  /** When it began, in milliseconds of the gate's clock. */
  readonly since: number;
  /** Never resolves; rejects when its caller is to wait no longer. */
  readonly sentAway: Promise<never>;
  readonly sendAway: (trouble: Trouble) => void;
}

/** The calls that wait for one peer, the oldest first. */
export class WaitingCalls {
  readonly #calls = new Set<WaitingCall>();

  get size(): number {
    return this.#calls.size;
  }

  get oldestSince(): number | undefined {
    const [oldest] = this.#calls;
    return oldest?.since;
  }

  add(kind: CallKind, since: number): WaitingCall {
    const { promise: sentAway, reject: sendAway } = Promise.withResolvers<never>();
    const call = { kind, since, sentAway, sendAway };
    this.#calls.add(call);
    return call;
  }

  remove(call: WaitingCall): void {
    this.#calls.delete(call);
  }

  /** Writes stay before reads, because something may come of them that should be told; then the oldest stay. */
  sendAwayBeyond(most: number, trouble: () => Trouble): void {
    const writes = [...this.#calls].filter(({ kind }) => kind !== 'read');
    const reads = [...this.#calls].filter(({ kind }) => kind === 'read');
    for (const call of [...writes, ...reads].slice(most)) this.#sendAway(call, trouble());
  }

  sendAwayAll(trouble: Trouble): void {
    const { reason, message } = trouble;
    for (const call of [...this.#calls]) {
      // Nobody knows what became of a write.
      const outcomeUnknown = call.kind !== 'read';
      this.#sendAway(call, outcomeUnknown ? new Trouble(reason, message, { outcomeUnknown }) : trouble);
    }
  }

  #sendAway(call: WaitingCall, trouble: Trouble): void {
    this.#calls.delete(call);
    call.sendAway(trouble);
  }
}
