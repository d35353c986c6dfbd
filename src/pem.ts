import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** One that was cut off counts too: what is left of it does not parse, and somebody must be told. */
const block = /-----BEGIN CERTIFICATE-----[\s\S]*?(?:-----END CERTIFICATE-----|$)/g;

/** The certificates in a PEM text, each with its two lines; anything around them is left out. They may not parse. */
export const certificateBlocks = (text: string): readonly string[] => text.match(block) ?? [];

/** The certificate; undefined when it cannot be read. */
export function parsedCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** The certificates of a bundle, or why it is none; `number` counts from 1. */
export type Bundle =
  | { readonly kind: 'whole'; readonly blocks: readonly string[] }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly number: number };

/** Every certificate of a bundle has to parse: Node ignores one that does not, and then nothing that it signed verifies. */
export function readBundle(text: string): Bundle {
  const blocks = certificateBlocks(text);
  if (blocks.length === 0) return { kind: 'empty' };
  const bad = blocks.findIndex((pem) => parsedCertificate(pem) === undefined);
  return bad === -1 ? { kind: 'whole', blocks } : { kind: 'unreadable', number: bad + 1 };
}

/** The private key in a PEM text; undefined when there is none, or one that needs a passphrase. */
export function parsedPrivateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}
