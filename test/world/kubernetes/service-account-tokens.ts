import { generateKeyPairSync, randomUUID, sign, verify } from 'node:crypto';

import { z } from 'zod';

import type { KubeObject } from './client.ts';

/** What the API server's own tokens are for; a token for something else is no key to the API. */
export const apiAudience = 'https://kubernetes.default.svc';

const headerShape = z.object({ alg: z.literal('ES256') });
const claimsShape = z.object({
  aud: z.array(z.string()),
  exp: z.number(),
  iss: z.literal(apiAudience),
  jti: z.string(),
  'kubernetes.io': z.object({
    namespace: z.string(),
    serviceaccount: z.object({ name: z.string(), uid: z.string() }),
  }),
});

/** Who shows a token. */
export interface TokenUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** `error` as kube-apiserver words it, without a word of the token. */
export type Review =
  | { readonly user: TokenUser; readonly audiences: readonly string[]; readonly error?: never }
  | { readonly error: string; readonly user?: never };

type FindAccount = (namespace: string, name: string) => KubeObject | undefined;

/** Makes the tokens of service accounts and knows them again: signed, for an audience, for a time, for one UID. */
export class ServiceAccountTokens {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #find: FindAccount;

  constructor(find: FindAccount) {
    this.#find = find;
  }

  issue(account: KubeObject, audiences: readonly string[], seconds: number): string {
    const { name, namespace = '', uid } = account.metadata;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ aud: audiences, exp: now + seconds, iat: now, nbf: now, iss: apiAudience, jti: randomUUID() },
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      sub: usernameOf(namespace, name),
    };
    const signed = [{ alg: 'ES256' }, claims].map((part) => encode(JSON.stringify(part))).join('.');
    const key = { key: this.#keys.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  }

  /** In the order of kube-apiserver's checks. A deleted ServiceAccount ends its tokens, and so does one made anew. */
  review(token: string, wanted: readonly string[]): Review {
    const claims = this.#claimsOf(token);
    if (claims === undefined) return refused();
    const audiences = claims.aud.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0)
      return refused(
        `token audiences ${list(claims.aud)} is invalid for the target audiences ${list(wanted)}`,
      );
    if (claims.exp * 1000 <= Date.now()) return refused('service account token has expired');
    const { namespace, serviceaccount } = claims['kubernetes.io'];
    const account = this.#find(namespace, serviceaccount.name);
    if (account === undefined)
      return refused(`serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`);
    const { uid = '', deletionTimestamp } = account.metadata;
    if (deletionTimestamp !== undefined) return refused('service account token has been invalidated');
    if (uid !== serviceaccount.uid)
      return refused(`service account UID (${uid}) does not match claim (${serviceaccount.uid})`);
    return { user: userOf(namespace, serviceaccount, claims.jti), audiences };
  }

  /** undefined: not a token that was signed here. */
  #claimsOf(token: string): z.infer<typeof claimsShape> | undefined {
    const [header = '', body = '', signature = '', ...more] = token.split('.');
    const key = { key: this.#keys.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    const signed = Buffer.from(`${header}.${body}`);
    if (more.length > 0 || !headerShape.safeParse(decode(header)).success) return undefined;
    if (!verify('sha256', signed, key, Buffer.from(signature, 'base64url'))) return undefined;
    return claimsShape.safeParse(decode(body)).data;
  }
}

const usernameOf = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

const userOf = (namespace: string, { name, uid }: { name: string; uid: string }, jti: string): TokenUser => ({
  username: usernameOf(namespace, name),
  uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
});

/** Each authenticator of the chain adds its words, the bearer's own first. */
const refused = (why?: string): Review => ({
  error: why === undefined ? 'invalid bearer token' : `[invalid bearer token, ${why}]`,
});

/** As Go's `%q` prints a list. */
const list = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;

const encode = (text: string): string => Buffer.from(text).toString('base64url');

const decode = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
};
