import { Secret } from '../secret.ts';

/** Decodes a Secret's data. What is not UTF-8 in a value becomes U+FFFD, which no login can hold. */
export const decodeSecretData = (data: Readonly<Record<string, string>>): Readonly<Record<string, Secret>> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, new Secret(decode(value))]));

const decode = (base64: string): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
