import type { Secret } from '../secret.ts';
import { createFixedToken } from './fixed-token.ts';
import { createKubernetesLogin, type KubernetesLoginOptions } from './kubernetes-login.ts';
import { createTokenFile } from './token-file.ts';
import type { TokenSource } from './token-source.ts';

/** How the operator proves to OpenBao who it is. */
export type OpenBaoAuth =
  | {
      readonly kind: 'kubernetes';
      readonly role: string;
      readonly mount: string;
      /** Path of the projected service account token. */
      readonly tokenFile: string;
    }
  /** Kept fresh by something else. */
  | { readonly kind: 'token'; readonly file: string; readonly value?: never }
  | { readonly kind: 'token'; readonly file?: never; readonly value: Secret };

type Connection = Omit<KubernetesLoginOptions, 'role' | 'mount' | 'tokenFile'>;

export const tokenSourceOf = (auth: OpenBaoAuth, connection: Connection): TokenSource => {
  if (auth.kind === 'kubernetes') return createKubernetesLogin({ ...connection, ...auth });
  return auth.file === undefined ? createFixedToken(auth.value) : createTokenFile(auth.file);
};
