import type { CredentialStore } from '../reconcile/ports.ts';
import { timed, type Call } from './call.ts';

export const openBaoOperations = ['read', 'write', 'delete', 'prove_gone'] as const;
export type OpenBaoOperation = (typeof openBaoOperations)[number];

/** The same store; each call of it is told of, with all the requests that it takes. */
export function measuredCredentials(
  store: CredentialStore,
  tell: (call: Call<OpenBaoOperation>) => void,
): CredentialStore {
  const time = timed(tell);
  return {
    read: (path) => time('read', () => store.read(path)),
    write: (path, credential, cas) => time('write', () => store.write(path, credential, cas)),
    delete: (path) => time('delete', () => store.delete(path)),
    isGone: (path) => time('prove_gone', () => store.isGone(path)),
    url: (path) => store.url(path),
  };
}
