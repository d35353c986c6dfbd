import type { CredentialPath, CredentialRecord } from '../../src/domain/credential.ts';
import { createCredentialStore, type CredentialStoreOptions } from '../../src/openbao/credentials.ts';
import type { CredentialStore, NewCredential } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import type { TokenSource } from '../../src/openbao/token-source.ts';

/** It must never be seen outside OpenBao. */
export const passwordCanary = 'CANARYpasswordCANARYpassword1234';

export const exampleRecord: CredentialRecord = {
  type: 'postgresql',
  provider: 'postgresql-tenant-operator',
  host: 'db.example.com',
  hostaddr: '192.0.2.7',
  port: '5432',
  database: 'shop_orders',
  username: 'shop_orders',
  sslmode: 'verify-full',
  certificates: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  rotation: '2026-01',
};

export const exampleCredential = (record: Partial<CredentialRecord> = {}): NewCredential => ({
  record: { ...exampleRecord, ...record },
  password: new Secret(passwordCanary),
});

/** A path that no other test uses. */
export const examplePath = (name: string): CredentialPath => ({
  installation: 'prod',
  namespace: 'shop',
  name,
  tenantUid: '5b2c1c35-5c1f-4d6c-9c2b-6a2f5e0c7a11',
});

export const keyOf = (path: CredentialPath): string =>
  [path.installation, path.namespace, path.name, path.tenantUid].join('/');

/** A token that never changes. */
export const fixedToken = (token: string): TokenSource => ({
  current: () => Promise.resolve(new Secret(token)),
  renew: (rejected) => Promise.resolve(rejected),
  worked: () => undefined,
  close: () => Promise.resolve(),
});

export const storeAt = (
  address: string,
  token: string,
  options: Partial<CredentialStoreOptions> = {},
): CredentialStore =>
  createCredentialStore({
    address,
    externalAddress: 'https://bao.example.com',
    mount: 'pg-tenants',
    token: fixedToken(token),
    timeoutMs: 5_000,
    ...options,
  });
