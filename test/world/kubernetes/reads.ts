import type { ApiAnswer, ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import { encode } from './decode.ts';
import { endpointOf, storedObject } from './endpoint.ts';
import { apiVersionOf } from './resource-type.ts';
import { readSelector } from './selectors.ts';

/** GET of one object, or of a whole list. */
export function read(state: ApiState, { path, query }: ApiRequest): ApiAnswer {
  const endpoint = endpointOf(state, path);
  if (path.name !== undefined)
    return { code: 200, body: encode(storedObject(state, endpoint, path), endpoint) };
  const { type, version } = endpoint;
  const items = state.store.list(type, path.namespace).filter(readSelector(query));
  return {
    code: 200,
    body: {
      kind: type.listKind,
      apiVersion: apiVersionOf(type.group, version),
      metadata: { resourceVersion: String(state.store.version) },
      items: items.map((item) => encode(item, endpoint)),
    },
  };
}
