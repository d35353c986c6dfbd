import { X509Certificate } from 'node:crypto';

import { Trouble } from '../errors.ts';

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Returns the certificates of a bundle, one below the other, when it holds at least one and all of them parse; throws
 * `InvalidCABundle` otherwise. Node ignores what it cannot read in a `ca` string (blocks without a line break between
 * them, too), and then every verification fails as "self-signed".
 */
export function checkedCaBundle(bundle: string): string {
  const blocks = bundle.match(block) ?? [];
  if (blocks.length === 0) {
    throw new Trouble('InvalidCABundle', 'the CA bundle holds no PEM certificate');
  }
  blocks.forEach((pem, index) => {
    if (!parses(pem)) {
      throw new Trouble('InvalidCABundle', `certificate ${index + 1} of the CA bundle cannot be read`);
    }
  });
  return blocks.join('\n');
}

function parses(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
