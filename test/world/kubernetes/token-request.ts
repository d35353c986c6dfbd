import { z } from 'zod';

import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import { storedObject } from './endpoint.ts';
import { invalid } from './field-error.ts';
import { apiAudience } from './service-account-tokens.ts';
import { badRequest, invalidObject, noSuchResource } from './status-error.ts';
import { timestamp } from './timestamp.ts';

const requestShape = z.object({
  kind: z.literal('TokenRequest').optional(),
  apiVersion: z.literal('authentication.k8s.io/v1').optional(),
  spec: z.object({
    audiences: z.array(z.string()).default([]),
    expirationSeconds: z.int().default(3600),
    boundObjectRef: z.unknown().optional(),
  }),
});

const kind = { group: 'authentication.k8s.io', plural: 'tokenrequests', kind: 'TokenRequest' };

/** `POST .../serviceaccounts/<name>/token`: a token for one audience and a while, as the kubelet asks for it. */
export function requestToken(state: ApiState, { path, body }: ApiRequest): ApiAnswer {
  const type = state.types.get({ group: '', plural: 'serviceaccounts' });
  if (type === undefined || path.namespace === undefined) throw noSuchResource();
  const account = storedObject(state, { type, version: path.version }, path);
  const parsed = requestShape.safeParse(body);
  if (!parsed.success) throw badRequest('the body of the request is not a TokenRequest');
  const { audiences, expirationSeconds, boundObjectRef } = parsed.data.spec;
  // A token that outlives what it is bound to would be worse than none.
  if (boundObjectRef !== undefined && boundObjectRef !== null)
    throw badRequest('boundObjectRef is not supported here');
  if (expirationSeconds < state.shortestTokenSeconds)
    throw invalidObject(kind, account.metadata.name, [
      invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 10 minutes'),
    ]);
  const wanted = audiences.length === 0 ? [apiAudience] : audiences;
  return {
    code: 201,
    body: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: account.metadata.name, namespace: path.namespace, creationTimestamp: timestamp() },
      spec: { audiences: wanted, expirationSeconds, boundObjectRef: null },
      status: {
        token: state.tokens.issue(account, wanted, expirationSeconds),
        expirationTimestamp: timestamp(expirationSeconds),
      },
    },
  };
}
