/**
 * The patience with a peer that is spoken to by HTTP. The times leave room for one that is slow: nothing gets on without
 * it, so that nobody else would be served sooner.
 */
export const httpPeer = {
  budget: 4,
  silentMs: 2_000,
  concludeMs: 5_000,
  firstRetryMs: 2_000,
  lastRetryMs: 15_000,
} as const;
