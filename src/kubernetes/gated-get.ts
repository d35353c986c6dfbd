import { httpPeer } from '../back-pressure/http-peer.ts';
import { PeerGate } from '../back-pressure/peer-gate.ts';
import type { Get } from './client.ts';

/** The same reads, of which only a few may wait while the API server says nothing. `now`: milliseconds that only grow. */
export function gatedGet(get: Get, now: () => number): Get {
  const peer = 'the Kubernetes API';
  const gate = new PeerGate({ ...httpPeer, peer, unreachable: 'KubernetesUnreachable', now });
  return (path, query, limit) => gate.pass(() => get(path, query, limit));
}
