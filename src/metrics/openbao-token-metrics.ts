import { Counter, Gauge, type Registry } from 'prom-client';

import { outcomeLabel } from './labels.ts';

/** One attempt to log in to OpenBao. */
export interface OpenBaoLogin {
  /** `ok`, or the reason of the trouble. */
  readonly outcome: string;
  /** When the new token expires, in milliseconds since the epoch; absent: there is none, or it never does. */
  readonly expiresAt?: number | undefined;
}

export function openBaoTokenMetrics(registry: Registry): (login: OpenBaoLogin) => void {
  const logins = new Counter({
    name: 'pgtenancy_openbao_logins_total',
    help: 'Logins to OpenBao, by outcome (ok, or the reason of the trouble).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const expiry = new Gauge({
    name: 'pgtenancy_openbao_token_expiry_timestamp_seconds',
    help: 'When the last token expires, in seconds since the epoch; 0: not known. An idle replica logs in with its next call only, so its time may be past.',
    registers: [registry],
  });
  return ({ outcome, expiresAt }) => {
    logins.inc({ outcome: outcomeLabel(outcome) });
    if (outcome === 'ok') expiry.set((expiresAt ?? 0) / 1000);
  };
}
