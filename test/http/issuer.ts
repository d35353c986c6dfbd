import { startOpenBao } from '../world/servers/openbao.ts';
import { issueCertificate, setUpPki, type Certificate } from '../world/servers/pki.ts';

export interface Issuer extends AsyncDisposable {
  /** PEM. */
  readonly ca: string;
  /** A new certificate for 127.0.0.1; `ttl` as OpenBao writes a duration. */
  issue(commonName: string, ttl?: string): Promise<Certificate>;
}

/** A certificate authority for one test file. */
export async function startIssuer(): Promise<Issuer> {
  const openBao = await startOpenBao({ mode: 'dev' });
  const { ca } = await setUpPki(openBao, { commonName: 'Hook test CA' });
  return {
    ca,
    issue: (commonName, ttl) =>
      issueCertificate(openBao, {
        ...{ commonName, dnsNames: [], ipAddresses: ['127.0.0.1'] },
        ...(ttl === undefined ? {} : { ttl }),
      }),
    [Symbol.asyncDispose]: () => openBao.close(),
  };
}
