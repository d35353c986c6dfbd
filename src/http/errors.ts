import { Trouble } from '../errors.ts';
import type { RefusalCause } from '../metrics/hook-metrics.ts';
import { Overload } from './overload.ts';

/** What a request is refused with. Bodies are fixed texts: Metacontroller copies them into Events and logs. */
export interface Refusal {
  /** What it is counted as. */
  readonly cause: RefusalCause;
  readonly status: number;
  readonly body: { readonly error: string };
  /** Whole seconds; without the header Metacontroller would call again at once. */
  readonly retryAfter?: number;
}

const fixed = (status: number, cause: RefusalCause, error: string): Refusal => ({
  cause,
  status,
  body: { error },
});

export const refusals = {
  /** What Node cannot read as HTTP. */
  unreadable: fixed(400, 'malformed', 'this is no HTTP request'),
  tooSlow: fixed(408, 'malformed', 'the request took too long to arrive'),
  headTooLarge: fixed(431, 'too_large', 'the URL and the headers are too large'),
  unexpected: fixed(417, 'malformed', 'no other expectation than 100-continue is met here'),
  unauthorized: fixed(401, 'unauthorized', 'a bearer token that is accepted here is missing'),
  notFound: fixed(404, 'not_found', 'no such path'),
  notPost: fixed(405, 'not_found', 'only POST is answered here'),
  tooLarge: fixed(413, 'too_large', 'the body is too large'),
  unsupported: fixed(415, 'unsupported_media_type', 'the body must be application/json'),
  compressed: fixed(415, 'unsupported_media_type', 'the body must not be compressed'),
  empty: fixed(400, 'malformed', 'the body is empty'),
  notJson: fixed(400, 'malformed', 'the body is not JSON, or has a key that JavaScript gives a meaning'),
  cut: fixed(400, 'malformed', 'the body did not arrive whole'),
  tooDeep: fixed(400, 'malformed', 'the body is nested too deeply'),
  tooManyValues: fixed(400, 'malformed', 'the body has too many values'),
  keyTwice: fixed(400, 'malformed', 'the body has a key twice in one object'),
  malformed: fixed(400, 'malformed', 'the body is not a hook request of this kind'),
  bug: fixed(500, 'bug', 'internal error; see the log of the operator'),
  busy: { ...fixed(429, 'busy', 'busy; try again later'), retryAfter: 1 },
  crowded: { ...fixed(429, 'in_flight_limit', 'busy; try again later'), retryAfter: 1 },
  stopping: { ...fixed(503, 'stopping', 'the operator is stopping'), retryAfter: 1 },
} as const satisfies Record<string, Refusal>;

/** Thrown where a request is judged before it reaches a handler. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.body.error);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

/** Nobody is sent away for longer: what is held or hangs may be free long before. */
const mostSeconds = 60;

const busy = (cause: RefusalCause, seconds: number): Refusal => ({
  ...refusals.busy,
  cause,
  retryAfter: Math.min(mostSeconds, Math.max(1, Math.ceil(seconds))),
});

/** Sorts whatever a handler threw. Known trouble that got here is a lock or a slot held elsewhere; the rest is a bug. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Trouble && error.reason === 'Busy') {
    return busy(error instanceof Overload ? error.limit : 'busy', error.retryAfterSeconds ?? 1);
  }
  if (error instanceof Refused) return error.refusal;
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusals.tooLarge;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusals.unsupported;
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return refusals.empty;
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return refusals.notJson;
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return refusals.cut;
    default:
      return wasCut(error) ? refusals.cut : refusals.bug;
  }
}

/**
 * Fastify gives a body whose sender went away in the middle of it the status 400. Nothing of ours sets both, so a
 * connection that broke behind the operator is still a bug.
 */
const wasCut = (error: unknown): boolean =>
  error instanceof Error &&
  'statusCode' in error &&
  error.statusCode === 400 &&
  codeOf(error) === 'ECONNRESET';

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
