import type { Reason } from './domain/reasons.ts';

interface TroubleOptions {
  /** Seconds after which a busy thing is worth another try; set for reason `Busy` only. */
  readonly retryAfterSeconds?: number;
  /** True when a write was sent and its answer was lost: read back before deciding anything. */
  readonly outcomeUnknown?: boolean;
}

/**
 * Known trouble with the world outside. Adapters throw nothing else on purpose: a library's error may carry a
 * token, a password or a statement, so it dies at the edge and only this message (safe for status and logs) goes on.
 * Reason `Busy` becomes HTTP 429; every other reason becomes a condition. Any other error is a bug (HTTP 500).
 */
export class Trouble extends Error {
  readonly reason: Reason;
  readonly retryAfterSeconds: number | undefined;
  readonly outcomeUnknown: boolean;

  constructor(reason: Reason, message: string, options: TroubleOptions = {}) {
    super(message);
    this.name = 'Trouble';
    this.reason = reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.outcomeUnknown = options.outcomeUnknown ?? false;
  }
}
