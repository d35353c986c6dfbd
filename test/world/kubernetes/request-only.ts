import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import { requestToken } from './token-request.ts';
import { reviewToken } from './token-review.ts';

type Handler = (state: ApiState, request: ApiRequest) => ApiAnswer;

/** What can be asked by POST but is not stored; undefined for everything else. */
export function requestOnly({ method, path }: ApiRequest): Handler | undefined {
  if (method !== 'POST' || path.version !== 'v1') return undefined;
  const { group, plural, namespace, name, subresource } = path;
  const isReview = group === 'authentication.k8s.io' && plural === 'tokenreviews';
  if (isReview && namespace === undefined && name === undefined) return reviewToken;
  return group === '' && plural === 'serviceaccounts' && subresource === 'token' ? requestToken : undefined;
}
