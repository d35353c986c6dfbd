import { Trouble } from '../errors.ts';

const unreachable = (message: string) => new Trouble('InstanceUnreachable', message);

/** Node's codes (`libuv`), as what an administrator would check. */
const networkMessages: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address and port of the Instance',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed by the other side',
  ETIMEDOUT: 'no answer in time from the address of the Instance',
  EHOSTUNREACH: 'there is no route to the address of the Instance',
  ENETUNREACH: 'there is no route to the network of the Instance',
  ENOTFOUND: 'the host name of the Instance does not resolve',
  EAI_AGAIN: 'the name service gives no answer for the host name of the Instance',
};

/** OpenSSL's and Node's codes for a certificate that does not verify. */
const certificateMessages: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain ends in a root that the CA bundle does not hold',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed and not in the CA bundle',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate was not issued by a CA of the bundle',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of its certificate is not in the CA bundle',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of its certificate is not in the CA bundle',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_SIGNATURE_FAILURE: 'the signature of its certificate is wrong',
  INVALID_CA: 'its certificate was issued by one that is no CA',
  INVALID_PURPOSE: 'its certificate is not made for servers',
  CERT_REVOKED: 'its certificate was revoked',
};

const insecureMessages: Readonly<Record<string, string>> = {
  AUTH_CLEARTEXT: 'the server asks for the password in clear text; pg_hba.conf must say scram-sha-256',
  AUTH_MD5: 'the server asks for the password as md5; pg_hba.conf must say scram-sha-256',
};

/** Errors of pg that have no code, by their text (pg 8.23). */
const textMeanings: readonly (readonly [RegExp, () => Trouble])[] = [
  [/^The server does not support SSL connections$/, () => tls('it does not offer TLS')],
  [
    /^There was an error establishing an SSL connection$/,
    () => unreachable('the server broke off the TLS negotiation'),
  ],
  [
    /^(?:SASL|SCRAM)/,
    () => new Trouble('InsecureAuthentication', 'the SCRAM exchange with the server failed'),
  ],
  [/timeout expired|[Tt]imeout/, () => unreachable('no answer in time from the server')],
  [/^Connection terminated|not queryable|^Client was closed/, () => unreachable('the connection was closed')],
];

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
      'the certificate of the server does not hold the host name of the Instance',
    );
  }
  const certificate = certificateMessages[code];
  if (certificate !== undefined) return tls(certificate);
  if (/^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/.test(code)) return tls(`the handshake fails with ${code}`);
  // A system call failed with a code that is not in the tables; programming errors (ERR_INVALID_ARG_TYPE) have none.
  return 'syscall' in error ? unreachable(`the network says ${code}`) : undefined;
}

const tls = (why: string) => new Trouble('TLSVerificationFailed', `TLS with the server fails: ${why}`);
