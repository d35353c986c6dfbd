import { readFile } from 'node:fs/promises';

import { Trouble } from '../errors.ts';
import { isHeaderToken } from '../http-client/header-token.ts';
import { Secret } from '../secret.ts';
import type { TokenSource } from './token-source.ts';

/** A token that something else (an agent, a CSI driver) keeps fresh in a file; surrounding white space is dropped. */
export const createTokenFile = (path: string): TokenSource => {
  let remembered: Secret | undefined;

  const reread = async (): Promise<Secret> => {
    remembered = await readToken(path);
    return remembered;
  };

  return {
    current: async () => remembered ?? reread(),
    renew: async (rejected) => {
      // Another request may have met the same 403 and read the file already.
      if (remembered !== undefined && !remembered.equals(rejected)) return remembered;
      return reread();
    },
  };
};

const readToken = async (path: string): Promise<Secret> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Trouble('OpenBaoForbidden', 'cannot read the file of the OpenBao token');
  const token = text.trim();
  if (!isHeaderToken(token)) {
    throw new Trouble('OpenBaoForbidden', 'the file of the OpenBao token does not hold a token');
  }
  return new Secret(token);
};
