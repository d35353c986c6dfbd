import { PeerGate } from '../back-pressure/peer-gate.ts';
import type { Get } from './client.ts';

/**
 * The same reads, of which only a few may wait while the API server says nothing. The times leave room for one that is
 * slow: nothing can be done without it, so that nobody else would be served sooner.
 */
export function gatedGet(get: Get, now: () => number): Get {
  const gate = new PeerGate({
    peer: 'the Kubernetes API',
    unreachable: 'KubernetesUnreachable',
    budget: 4,
    silentMs: 2_000,
    concludeMs: 5_000,
    firstRetryMs: 2_000,
    lastRetryMs: 15_000,
    now,
  });
  return (path, query, limit) => gate.pass(() => get(path, query, limit));
}
