/** Every wait of the adapter, in milliseconds, and how many may wait. */
export interface Limits {
  /** TCP, TLS and login together. */
  readonly connectMs: number;
  /** `statement_timeout` of reads and of write transactions. */
  readonly readMs: number;
  /** `lock_timeout`. */
  readonly lockMs: number;
  /** The same for locks on role and database, which sessions of the tenant can hold for as long as they like. */
  readonly objectLockMs: number;
  /** How long a caller waits for a free connection of this replica before it hears `Busy`. */
  readonly slotMs: number;
  /** How long `createDatabase` and `dropDatabase` wait for their statement before they leave it to itself. */
  readonly longWaitMs: number;
  /** `statement_timeout` of `create database` and `drop database`. */
  readonly longStatementMs: number;
  /** How old, by the server's clock, the observation behind a write may be. */
  readonly decisionMs: number;
  /** After this time unused, a connection is closed. */
  readonly idleMs: number;
  /** A server that was asked and has said nothing for this long is silent ... */
  readonly silentMs: number;
  /** ... and then only so many callers may wait for it. */
  readonly silentBudget: number;
  /** A failed connect, or a server that proved dead, is remembered this long; it doubles with each failure ... */
  readonly firstRetryMs: number;
  /** ... up to this. */
  readonly lastRetryMs: number;
}

export const defaultLimits: Limits = {
  connectMs: 5_000,
  readMs: 10_000,
  lockMs: 2_000,
  objectLockMs: 300,
  slotMs: 5_000,
  longWaitMs: 6_000,
  longStatementMs: 900_000,
  decisionMs: 8_000,
  idleMs: 30_000,
  silentMs: 1_000,
  silentBudget: 2,
  firstRetryMs: 5_000,
  lastRetryMs: 30_000,
};

/** node-postgres gives up on an answer this long after the server should have: the net below `statement_timeout`. */
export const answerGraceMs = 3_000;
