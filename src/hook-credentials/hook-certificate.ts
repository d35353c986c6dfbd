import { checkCertificate, type Certificate } from '../http/server.ts';
import { certificateBlocks, parsedCertificate, parsedPrivateKey } from '../pem.ts';
import type { Reading } from './watched-files.ts';

export interface HookCertificate extends Certificate {
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The certificate that the hook shows and its key, both PEM. Judged before OpenSSL gets them, which takes an empty text
 * for no certificate at all, looks no further than it must, and overlooks what begins in the middle of a line.
 */
export function readHookCertificate(text: string, key: string): Reading<HookCertificate> {
  const blocks = certificateBlocks(text);
  const [leaf, ...others] = blocks.map(parsedCertificate);
  if (leaf === undefined || others.includes(undefined)) return { fault: 'the certificate cannot be read' };
  const privateKey = parsedPrivateKey(key);
  if (privateKey === undefined) return { fault: 'the private key cannot be read' };
  if (!leaf.checkPrivateKey(privateKey)) return { fault: 'the private key is not that of the certificate' };
  const cert = `${blocks.join('\n')}\n`;
  try {
    checkCertificate({ cert, key });
    return { value: { cert, key, expiresAt: leaf.validToDate.getTime() } };
  } catch {
    return { fault: 'OpenSSL refuses the certificate or its key' };
  }
}
