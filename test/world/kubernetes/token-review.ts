import { z } from 'zod';

import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import { apiAudience } from './service-account-tokens.ts';
import { badRequest, StatusError } from './status-error.ts';

const reviewShape = z.object({
  kind: z.literal('TokenReview').optional(),
  apiVersion: z.literal('authentication.k8s.io/v1').optional(),
  spec: z.object({ token: z.string().default(''), audiences: z.array(z.string()).default([]) }),
});

/**
 * `POST /apis/authentication.k8s.io/v1/tokenreviews`: whose token is this? A token that is not good is an answer (201),
 * not an error. Whoever is known may ask: there is no RBAC here.
 */
export function reviewToken(state: ApiState, { user, body }: ApiRequest): ApiAnswer {
  if (user === undefined)
    throw new StatusError(
      403,
      'Forbidden',
      'tokenreviews.authentication.k8s.io is forbidden: User "system:anonymous" cannot create resource "tokenreviews" in API group "authentication.k8s.io" at the cluster scope',
    );
  const parsed = reviewShape.safeParse(body);
  if (!parsed.success) throw badRequest('the body of the request is not a TokenReview');
  const { token, audiences } = parsed.data.spec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const review = state.tokens.review(token, audiences.length === 0 ? [apiAudience] : audiences);
  return {
    code: 201,
    body: {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: {},
      spec: parsed.data.spec,
      status:
        review.user === undefined
          ? { user: {}, error: review.error }
          : { authenticated: true, user: review.user, audiences: review.audiences },
    },
  };
}
