import { Trouble } from '../errors.ts';

const unreachable = (message: string) => new Trouble('InstanceUnreachable', message);

/** Node's codes (`libuv`), as what an administrator would check. */
const networkMessages: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'nothing listens at the address and port of the Instance; check that PostgreSQL runs, and spec.port',
  ECONNRESET: 'the connection was reset; it is tried again',
  EPIPE: 'the connection was closed by the other side; it is tried again',
  ETIMEDOUT:
    'no answer in time from the address of the Instance; check that PostgreSQL runs, and firewalls in between',
  EHOSTUNREACH: 'there is no route to the address of the Instance; check spec.hostAddress and the network',
  ENETUNREACH: 'there is no route to the network of the Instance; check spec.hostAddress and the network',
  ENOTFOUND: 'the host name of the Instance does not resolve; check spec.host, or give spec.hostAddress',
  EAI_AGAIN: 'the name service gives no answer for the host name of the Instance; it is tried again',
};

const putCa = 'put the CA that issued it into spec.tls.caBundle';
const newCertificate = "the server's administrator installs a new one";

/** OpenSSL's and Node's codes for a certificate that does not verify. */
const certificateMessages: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate chain ends in a root that the CA bundle does not hold; ${putCa}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed and not in the CA bundle; ${putCa}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate was not issued by a CA of the bundle; ${putCa}`,
  UNABLE_TO_GET_ISSUER_CERT: `the issuer of its certificate is not in the CA bundle; ${putCa}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the issuer of its certificate is not in the CA bundle; ${putCa}`,
  CERT_HAS_EXPIRED: `its certificate has expired; ${newCertificate}`,
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clocks',
  CERT_SIGNATURE_FAILURE: `the signature of its certificate is wrong; ${putCa}`,
  INVALID_CA: `its certificate was issued by one that is no CA; ${newCertificate}`,
  INVALID_PURPOSE: `its certificate is not made for servers; ${newCertificate}`,
  CERT_REVOKED: `its certificate was revoked; ${newCertificate}`,
};

const insecureMessages: Readonly<Record<string, string>> = {
  AUTH_CLEARTEXT:
    'the server asks for the password in clear text; a database administrator makes pg_hba.conf say scram-sha-256',
  AUTH_MD5:
    'the server asks for the password as md5; a database administrator makes pg_hba.conf say scram-sha-256, and sets the password again with password_encryption = scram-sha-256',
};

/** Errors of pg that have no code, by their text (pg 8.23). */
const textMeanings: readonly (readonly [RegExp, () => Trouble])[] = [
  [
    /^The server does not support SSL connections$/,
    () => tls('it does not offer TLS; turn ssl on there, or set spec.tls.mode to disable'),
  ],
  [
    /^There was an error establishing an SSL connection$/,
    () =>
      unreachable(
        'the server broke off the TLS negotiation; its log says why, or no PostgreSQL answers at this address and port: check spec.host, spec.hostAddress and spec.port',
      ),
  ],
  [
    /^(?:SASL|SCRAM)/,
    () =>
      new Trouble(
        'InsecureAuthentication',
        'the SCRAM exchange with the server failed: it does not know the password itself; check that this is the server and nothing in between',
      ),
  ],
  [
    /timeout expired|[Tt]imeout/,
    () =>
      unreachable('no answer in time from the server; check that PostgreSQL runs, and firewalls in between'),
  ],
  [
    /^Connection terminated|not queryable|^Client was closed/,
    () => unreachable('the connection was closed; it is tried again'),
  ],
];

/** What was dialled, by Node's own property on this error: `host`. */
const nameIn = (error: Error): string =>
  'host' in error && typeof error.host === 'string'
    ? `the host name "${error.host}"`
    : 'the host name of the Instance';

/** `Trouble` for an error of the network, of TLS or of pg itself; undefined when it is none of them. */
export function networkTrouble(error: unknown): Trouble | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return textMeanings.find(([text]) => text.test(error.message))?.[1]();
  const insecure = insecureMessages[code];
  if (insecure !== undefined) return new Trouble('InsecureAuthentication', insecure);
  const network = networkMessages[code];
  if (network !== undefined) return unreachable(network);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new Trouble(
      'CertificateSANMissing',
      `the certificate of the server does not hold ${nameIn(error)}; issue one that does, or put spec.host right`,
    );
  }
  const certificate = certificateMessages[code];
  if (certificate !== undefined) return tls(certificate);
  if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/.test(code))
    return tls(`the handshake fails with ${code}; the log of the server says more`);
  // A system call failed with a code that is not in the tables; programming errors (ERR_INVALID_ARG_TYPE) have none.
  return 'syscall' in error ? unreachable(`the network says ${code}; it is tried again`) : undefined;
}

const tls = (why: string) => new Trouble('TLSVerificationFailed', `TLS with the server fails: ${why}`);
