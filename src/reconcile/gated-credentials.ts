import { PeerGate } from '../back-pressure/peer-gate.ts';
import type { CredentialStore } from './ports.ts';

/**
 * The same store, for which only a few calls may wait while OpenBao says nothing. The times leave room for one that is
 * slow: no Tenant gets on without it. `now`: milliseconds that only grow.
 */
export function gatedCredentials(
  store: CredentialStore,
  now: () => number = () => performance.now(),
): CredentialStore {
  const gate = new PeerGate({
    peer: 'OpenBao',
    unreachable: 'OpenBaoUnreachable',
    budget: 4,
    silentMs: 2_000,
    concludeMs: 5_000,
    firstRetryMs: 2_000,
    lastRetryMs: 15_000,
    now,
  });
  return {
    read: (path) => gate.pass(() => store.read(path)),
    write: (path, credential, cas) => gate.pass(() => store.write(path, credential, cas), 'write'),
    delete: (path) => gate.pass(() => store.delete(path), 'write'),
    isGone: (path) => gate.pass(() => store.isGone(path)),
    url: (path) => store.url(path),
  };
}
