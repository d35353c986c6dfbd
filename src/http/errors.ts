import { Trouble } from '../errors.ts';

/** What a request is refused with. Bodies are fixed texts: Metacontroller copies them into Events and logs. */
export interface Refusal {
  readonly status: number;
  readonly body: { readonly error: string };
  /** Whole seconds; without the header Metacontroller would call again at once. */
  readonly retryAfter?: number;
}

const fixed = (status: number, error: string): Refusal => ({ status, body: { error } });

export const refusals = {
  notFound: fixed(404, 'no such path'),
  malformed: fixed(400, 'the body is not a hook request of this kind'),
  tooLarge: fixed(413, 'the body is too large'),
  unsupported: fixed(415, 'the body must be application/json'),
  bug: fixed(500, 'internal error; see the log of the operator'),
  busy: { ...fixed(429, 'busy; try again later'), retryAfter: 1 },
  stopping: { ...fixed(503, 'the operator is stopping'), retryAfter: 1 },
} as const satisfies Record<string, Refusal>;

const busy = (seconds: number): Refusal => ({
  ...refusals.busy,
  retryAfter: Math.max(1, Math.ceil(seconds)),
});

/** Sorts whatever a handler threw. Known trouble that got here is a lock or a slot held elsewhere; the rest is a bug. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Trouble && error.reason === 'Busy') return busy(error.retryAfterSeconds ?? 1);
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refusals.tooLarge;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return refusals.unsupported;
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return refusals.malformed;
    default:
      return isUnreadable(error) ? refusals.malformed : refusals.bug;
  }
}

/**
 * Fastify gives a body that it could not parse, or whose sender went away in the middle of it, the status 400. Nothing
 * of ours sets both, so a connection that broke behind the operator is still a bug.
 */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Error &&
  statusOf(error) === 400 &&
  (error instanceof SyntaxError || codeOf(error) === 'ECONNRESET');

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

const statusOf = (error: object): unknown => ('statusCode' in error ? error.statusCode : undefined);
