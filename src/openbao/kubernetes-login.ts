import { z } from 'zod';

import { Trouble } from '../errors.ts';
import { isHeaderToken } from '../http-client/header-token.ts';
import { Secret } from '../secret.ts';
import { loginTroubleOf } from './login-errors.ts';
import { LoginTokens, type LoggedIn, type OnLogin } from './login-tokens.ts';
import { namespaceHeader } from './namespace-header.ts';
import { readTokenFile } from './token-file.ts';
import type { TokenSource } from './token-source.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

export interface KubernetesLoginOptions extends TransportOptions {
  readonly namespace?: string | undefined;
  readonly role: string;
  /** Where the auth method `kubernetes` is mounted, below `auth/`. */
  readonly mount: string;
  /** The projected token of the service account; read again at each login, because the kubelet replaces it. */
  readonly tokenFile: string;
  /** For one login; more than 5 s is cut to 5 s. */
  readonly timeoutMs: number;
  readonly onLogin?: OnLogin | undefined;
}

const loginShape = z.object({
  auth: z.object({
    client_token: z.string().refine(isHeaderToken),
    /** Seconds; 0: the token never ends. */
    lease_duration: z.int().nonnegative(),
    /** 0: any number of uses. */
    num_uses: z.int().nonnegative().default(0),
  }),
});

const longestTimeoutMs = 5_000;
const revokeTimeoutMs = 1_000;

/**
 * Logs in with the service account's projected token (`POST auth/<mount>/login`). Throws `OpenBaoLoginFailed` where
 * somebody must act, else `OpenBaoUnreachable`, `OpenBaoSealed` or `OpenBaoError`.
 */
export const createKubernetesLogin = (options: KubernetesLoginOptions): TokenSource => {
  const transport = createTransport(options);
  const revoke = revokeThrough(transport, options.namespace);
  return new LoginTokens({
    login: () => logIn(transport, options, revoke),
    revoke,
    onLogin: options.onLogin,
    clock: options.clock ?? (() => performance.now()),
  });
};

type Revoke = (token: Secret) => Promise<void>;

const logIn = async (
  transport: Transport,
  { role, mount, namespace, tokenFile, timeoutMs }: KubernetesLoginOptions,
  revoke: Revoke,
): Promise<LoggedIn> => {
  const jwt = await readTokenFile(
    tokenFile,
    'the service account token for OpenBao (OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE)',
  );
  const request = {
    method: 'POST',
    path: `auth/${mount}/login`,
    headers: namespaceHeader(namespace),
    body: { role, jwt: jwt.reveal() },
    // A second login does no harm: what the first one gave ends by itself.
    repeatable: true,
  } as const;
  const answer = await transport(request, AbortSignal.timeout(Math.min(timeoutMs, longestTimeoutMs)));
  const auth = answer.status === 200 ? loginShape.safeParse(answer.body).data?.auth : undefined;
  if (auth === undefined) throw loginTroubleOf(answer, { role, mount });
  const token = new Secret(auth.client_token);
  const fault = faultOf(auth);
  if (fault === undefined) return { token, lifetimeMs: auth.lease_duration * 1_000 };
  void revoke(token);
  throw new Trouble('OpenBaoLoginFailed', `the OpenBao role "${role}" at auth mount "${mount}" ${fault}`);
};

/** Such a token would end in the middle of something, or be good for ever in wrong hands. */
const faultOf = (auth: z.infer<typeof loginShape>['auth']): string | undefined => {
  if (auth.num_uses > 0) return 'gives tokens for a number of uses only; set its token_num_uses to 0';
  return auth.lease_duration === 0 ? 'gives tokens that never end; set its token_ttl' : undefined;
};

const revokeThrough =
  (transport: Transport, namespace: string | undefined): Revoke =>
  async (token) => {
    const headers = { 'X-Vault-Token': token.reveal(), ...namespaceHeader(namespace) };
    const request = { method: 'POST', path: 'auth/token/revoke-self', headers, repeatable: false } as const;
    // Whatever hinders it: the token ends by itself.
    await transport(request, AbortSignal.timeout(revokeTimeoutMs)).catch(() => undefined);
  };
