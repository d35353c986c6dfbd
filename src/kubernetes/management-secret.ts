import { Secret } from '../secret.ts';

/** Decodes a Secret's data. A value that is not UTF-8 text can be no login and is left out. */
export const decodeSecretData = (data: Readonly<Record<string, string>>): Readonly<Record<string, Secret>> =>
  Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      const text = decode(value);
      return text === undefined ? [] : [[key, new Secret(text)]];
    }),
  );

const decode = (base64: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
};
