import type { IncomingMessage } from 'node:http';

import { apiAudience, type ServiceAccountTokens } from './service-account-tokens.ts';
import { StatusError } from './status-error.ts';

/**
 * The name of whoever shows a bearer token; undefined for nobody. Throws 401 for a service account's token that is not good
 * for the API, and with `token` for everything else but that.
 */
export function authenticate(
  { headers }: IncomingMessage,
  tokens: ServiceAccountTokens,
  token: string | undefined,
): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined && bearer === token) return 'kubernetes-admin';
  const user = bearer === undefined ? undefined : tokens.review(bearer, [apiAudience]).user;
  if (user !== undefined) return user.username;
  if (token !== undefined || bearer?.split('.').length === 3)
    throw new StatusError(401, 'Unauthorized', 'Unauthorized');
  return undefined;
}
