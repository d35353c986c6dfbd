import { Trouble } from '../errors.ts';
import { isHeaderToken } from '../http-client/header-token.ts';
import { readRegularFile } from '../http-client/regular-file.ts';
import { Secret } from '../secret.ts';
import type { TokenSource } from './token-source.ts';

/** A token that something else (an agent, a CSI driver) keeps fresh in a file; surrounding white space is dropped. */
export const createTokenFile = (path: string): TokenSource => {
  let remembered: Secret | undefined;

  const reread = async (): Promise<Secret> => {
    remembered = await readTokenFile(path, 'the OpenBao token (OPENBAO_TOKEN_FILE)');
    return remembered;
  };

  return {
    current: async () => remembered ?? reread(),
    renew: async (rejected) => {
      // Another request may have met the same 403 and read the file already.
      if (remembered !== undefined && !remembered.equals(rejected)) return remembered;
      return reread();
    },
    worked: () => undefined,
    close: () => Promise.resolve(),
  };
};

/** Throws `Trouble` (`OpenBaoLoginFailed`) that calls the content `what`. */
export const readTokenFile = async (path: string, what: string): Promise<Secret> => {
  const text = await readRegularFile(path).catch(() => undefined);
  if (text === undefined) throw new Trouble('OpenBaoLoginFailed', `cannot read the file of ${what}`);
  const token = text.trim();
  if (token === '') throw new Trouble('OpenBaoLoginFailed', `the file of ${what} is empty`);
  if (!isHeaderToken(token)) {
    throw new Trouble('OpenBaoLoginFailed', `the file of ${what} holds something that is no token`);
  }
  return new Secret(token);
};
