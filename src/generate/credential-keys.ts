import type { CredentialRecord } from '../domain/credential.ts';

interface CredentialKey {
  readonly presence: 'always' | 'if given';
  readonly meaning: string;
}

const always = (meaning: string): CredentialKey => ({ presence: 'always', meaning });
const ifGiven = (meaning: string): CredentialKey => ({ presence: 'if given', meaning });

/** The keys of a tenant's record in OpenBao, and so of its Secret. */
export const credentialKeys: Readonly<Record<keyof CredentialRecord | 'password' | 'uri', CredentialKey>> = {
  type: always('`postgresql` (Service Binding).'),
  provider: always('`postgresql-tenant-operator` (Service Binding).'),
  host: always('DNS name of the server; verify its certificate against this.'),
  hostaddr: ifGiven('IP address of the server (`spec.hostAddress` of the Instance).'),
  port: always('TCP port.'),
  database: always('Name of the database.'),
  username: always('Name of the login role.'),
  password: always('Its password.'),
  sslmode: always('How to connect, in the words of libpq (`spec.tls.mode` of the Instance).'),
  uri: always(
    'All of the above as one libpq connection URI. For `verify-ca` and `verify-full` libpq also needs the parameter `sslrootcert`: a file that holds `certificates` (where that key is not given, the CA file of the platform).',
  ),
  certificates: ifGiven('PEM certificates of the CA (`spec.tls.caBundle` of the Instance).'),
  rotation: ifGiven('The `spec.credentialRotation` that the password was made for.'),
};
