import type { Reason } from './reasons.ts';

/**
 * What an observation found. Not-there is a known fact (its value says so); a failed look is an unknown one.
 * The two are never mixed: an unknown fact causes no act and lowers nothing.
 */
export type Fact<T> = Known<T> | Unknown;

export interface Known<T> {
  readonly known: true;
  readonly value: T;
}

export interface Unknown {
  readonly known: false;
  readonly reason: Reason;
  /** For people, and the same as long as the trouble is the same: no times, no counters, no secrets. */
  readonly message: string;
}

export const known = <T>(value: T): Known<T> => ({ known: true, value });

export const unknown = (reason: Reason, message: string): Unknown => ({ known: false, reason, message });
