/** What becomes of one call of a port in place of its answer. */
export type Fault =
  /** Nothing was done. */
  | { readonly kind: 'fails'; readonly error: Error }
  /** The effect is there, only its answer was lost. */
  | { readonly kind: 'answerLost'; readonly error: Error }
  | { readonly kind: 'hangs' };

/** Decides over a call by its name, e.g. `tenants.createRole`, and its number, counted from 0. */
export type FaultPlan = (call: string, index: number) => Fault | undefined;

/** Every call of a port passes here: it is written down, and may be made to fail. */
export class Gate {
  readonly calls: string[] = [];
  faults: FaultPlan = () => undefined;

  /** The port with every asynchronous method of it led through the gate. */
  watch<Port extends object>(prefix: string, port: Port, synchronous: readonly string[] = []): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function' || typeof key !== 'string' || synchronous.includes(key))
          return method;
        return (...values: unknown[]) =>
          this.#pass(`${prefix}.${key}`, () => Reflect.apply(method, target, values) as unknown);
      },
    });
  }

  async #pass(call: string, run: () => unknown): Promise<unknown> {
    const fault = this.faults(call, this.calls.length);
    this.calls.push(call);
    if (fault?.kind === 'hangs') return new Promise(() => undefined);
    if (fault?.kind === 'fails') throw fault.error;
    const value = await run();
    if (fault?.kind === 'answerLost') throw fault.error;
    return value;
  }
}

export const isWrite = (call: string): boolean =>
  /^(registry|tenants)\./.test(call) || call === 'credentials.write' || call === 'credentials.delete';

/** Fails once, at the call of this number. */
export const onceAt =
  (index: number, fault: Fault): FaultPlan =>
  (_call, at) =>
    at === index ? fault : undefined;

/** Fails for as long as it is in force, at every call whose name matches. */
export const always =
  (pattern: RegExp, fault: Fault): FaultPlan =>
  (call) =>
    pattern.test(call) ? fault : undefined;
