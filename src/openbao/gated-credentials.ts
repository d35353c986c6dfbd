import { httpPeer } from '../back-pressure/http-peer.ts';
import { PeerGate } from '../back-pressure/peer-gate.ts';
import type { CredentialStore } from '../reconcile/ports.ts';

/** The same store, for which only a few calls may wait while OpenBao says nothing. `now`: milliseconds that only grow. */
export function gatedCredentials(store: CredentialStore, now: () => number): CredentialStore {
  const gate = new PeerGate({ ...httpPeer, peer: 'OpenBao', unreachable: 'OpenBaoUnreachable', now });
  return {
    read: (path) => gate.pass(() => store.read(path)),
    write: (path, credential, cas) => gate.pass(() => store.write(path, credential, cas), 'write'),
    delete: (path) => gate.pass(() => store.delete(path), 'write'),
    isGone: (path) => gate.pass(() => store.isGone(path)),
    url: (path) => store.url(path),
  };
}
