import { createSecureContext } from 'node:tls';

import type { Certificate } from './http/server.ts';
import { certificateBlocks, parsedCertificate, parsedPrivateKey } from './pem.ts';
import type { Reading } from './watched-files.ts';

/**
 * The certificate that the hook shows and its key, both PEM. Judged before OpenSSL gets them, which takes an empty text
 * for no certificate at all, and looks no further than it must.
 */
export function readHookCertificate(cert: string, key: string): Reading<Certificate> {
  const [leaf, ...others] = certificateBlocks(cert).map(parsedCertificate);
  if (leaf === undefined || others.includes(undefined)) return { fault: 'the certificate cannot be read' };
  const privateKey = parsedPrivateKey(key);
  if (privateKey === undefined) return { fault: 'the private key cannot be read' };
  if (!leaf.checkPrivateKey(privateKey)) return { fault: 'the private key is not that of the certificate' };
  try {
    createSecureContext({ cert, key });
    return { value: { cert, key } };
  } catch {
    return { fault: 'OpenSSL refuses the certificate or its key' };
  }
}
