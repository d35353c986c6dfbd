import type { CredentialPath, StoredCredential } from '../../src/domain/credential.ts';
import { Trouble } from '../../src/errors.ts';
import type { CredentialStore } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import type { ModelState, ModelVersion } from './model-state.ts';

const keyOf = (path: CredentialPath): string =>
  [path.installation, path.namespace, path.name, path.tenantUid].join('/');

/** KV version 2 with `cas` on every write. */
export function modelOpenBao({ openbao }: ModelState): CredentialStore {
  const versionsOf = (path: CredentialPath): ModelVersion[] => openbao.records[keyOf(path)] ?? [];
  return {
    read: (path) => {
      const versions = versionsOf(path);
      const newest = versions.at(-1);
      if (newest === undefined) return Promise.resolve({ stored: { kind: 'absent' }, password: undefined });
      if (newest === null) {
        const deleted: StoredCredential = { kind: 'deleted', version: versions.length };
        return Promise.resolve({ stored: deleted, password: undefined });
      }
      const { record, createdAt, password } = newest;
      return Promise.resolve({
        stored: { kind: 'live', version: versions.length, createdAt, record },
        password: record === null ? undefined : new Secret(password),
      });
    },
    write: (path, { record, password }, cas) => {
      const versions = versionsOf(path);
      if (versions.length !== cas) {
        const message = 'OpenBao has another version of the record';
        return Promise.reject(new Trouble('OpenBaoError', message, { outcomeUnknown: true }));
      }
      openbao.writes += 1;
      const createdAt = new Date(openbao.writes * 1000).toISOString();
      openbao.records[keyOf(path)] = [...versions, { record, createdAt, password: password.reveal() }];
      if (!openbao.passwords.includes(password.reveal())) openbao.passwords.push(password.reveal());
      return Promise.resolve();
    },
    delete: (path) => {
      openbao.records = Object.fromEntries(
        Object.entries(openbao.records).filter(([key]) => key !== keyOf(path)),
      );
      return Promise.resolve();
    },
    isGone: (path) => Promise.resolve(versionsOf(path).length === 0),
    url: (path) => `https://bao.example.com/v1/kv/data/${keyOf(path)}`,
  };
}
