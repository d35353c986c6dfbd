import { startOpenBao } from '../world/servers/openbao.ts';
import { issueCertificate, setUpPki } from '../world/servers/pki.ts';
import { files } from './example.ts';

/** Puts real certificates and keys into the files of the examples. */
export async function issueFiles(): Promise<{ readonly ca: string }> {
  const issuer = await startOpenBao({ mode: 'dev' });
  try {
    const { ca } = await setUpPki(issuer, { commonName: 'Example CA' });
    const request = { commonName: 'hook', dnsNames: ['hook.pgtenancy.svc'], ipAddresses: [] };
    const [own, other] = [await issueCertificate(issuer, request), await issueCertificate(issuer, request)];
    Object.assign(files, {
      '/tls/tls.crt': `${own.cert}\n${ca}\n`,
      '/tls/tls.key': `${own.key}\n`,
      '/tls/other.key': `${other.key}\n`,
      '/tls/both.pem': `${own.cert}\n${own.key}\n`,
      '/api/ca.crt': ca,
      '/openbao/ca.crt': `Our CA, twice, without a line between:\n${ca}${ca}`,
      '/half-broken.pem': `${ca}\n${files['/broken.pem'] ?? ''}`,
    });
    return { ca };
  } finally {
    await issuer.close();
  }
}
