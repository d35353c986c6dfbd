import type { ServerResponse } from 'node:http';

import type { ApiRequest } from './api-request.ts';
import type { ApiState } from './api-state.ts';
import type { KubeObject } from './client.ts';
import { encode } from './decode.ts';
import { endpointOf } from './endpoint.ts';
import { typeKey } from './resource-type.ts';
import { readSelector, type Selector } from './selectors.ts';
import { statusBody, StatusError } from './status-error.ts';
import type { Change } from './store.ts';

type EventType = Change['event'];

/**
 * Streams events as JSON lines until the client leaves or `timeoutSeconds` are over. Without a resourceVersion it begins
 * with an ADDED for each object there is. One that is too old is answered as kube-apiserver does it: 200, and an ERROR
 * event with a Status of code 410.
 */
export function watch(state: ApiState, request: ApiRequest, response: ServerResponse): void {
  const { path, query } = request;
  const endpoint = endpointOf(state, path);
  const selector = readSelector(query);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const send = (type: EventType | 'ERROR', object: object): void =>
    void response.write(`${JSON.stringify({ type, object })}\n`);
  const notify = (change: Change): void => {
    const { namespace } = change.object.metadata;
    if (typeKey(change.type) !== typeKey(endpoint.type)) return;
    if (path.namespace !== undefined && namespace !== path.namespace) return;
    const type = seenThrough(selector, change);
    if (type !== undefined) send(type, encode(change.object, endpoint));
  };
  try {
    const version = Number(query.get('resourceVersion') ?? '0');
    const existing = version === 0 ? state.store.list(endpoint.type, path.namespace).filter(selector) : [];
    for (const object of existing) send('ADDED', encode(object, endpoint));
    if (version !== 0) state.history.since(version).forEach(notify);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    send('ERROR', statusBody(error));
    response.end();
    return;
  }
  endLater(response, Number(query.get('timeoutSeconds') ?? '0'), state.store.subscribe(notify));
}

function endLater(response: ServerResponse, seconds: number, unsubscribe: () => void): void {
  const timer = seconds > 0 ? setTimeout(() => response.end(), seconds * 1000) : undefined;
  response.once('close', () => {
    clearTimeout(timer);
    unsubscribe();
  });
}

/** An object that begins or ceases to match the selector is added or deleted in the eyes of the watcher. */
function seenThrough(selector: Selector, { event, object, previous }: Change): EventType | undefined {
  const matches = (one: KubeObject | undefined): boolean => one !== undefined && selector(one);
  const isIn = event !== 'DELETED' && matches(object);
  const wasIn = matches(previous);
  if (isIn) return wasIn ? 'MODIFIED' : 'ADDED';
  return wasIn ? 'DELETED' : undefined;
}
