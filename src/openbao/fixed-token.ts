import type { Secret } from '../secret.ts';
import type { TokenSource } from './token-source.ts';

/** A token that was given once and is never replaced. */
export const createFixedToken = (token: Secret): TokenSource => ({
  current: () => Promise.resolve(token),
  renew: () => Promise.resolve(token),
  worked: () => undefined,
  close: () => Promise.resolve(),
});
