import type { IncomingMessage, ServerResponse } from 'node:http';

import type { HookLimits } from './limits.ts';

export interface BodyBytes {
  /** False when there is no room for the body of this request. The room is free again when its response is over. */
  readonly take: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Who hangs up frees nothing: the room is kept while `work` goes on. */
  readonly keepFor: (request: IncomingMessage, work: Promise<unknown>) => void;
}

/**
 * Bounds the memory for all bodies together: the connections alone allow more than the process may have. A body counts
 * from its head on, with the length that the head announces, and one in chunks as the largest that is read.
 */
export function limitBodyBytes({ bodyBytes, bodiesBytes }: HookLimits): BodyBytes {
  const works = new WeakMap<IncomingMessage, Promise<unknown>>();
  let taken = 0;
  return {
    take: (request, response) => {
      const bytes = Math.min(bodyBytes, announcedIn(request));
      if (taken + bytes > bodiesBytes) return false;
      taken += bytes;
      response.once('close', () => {
        void Promise.allSettled([works.get(request)]).then(() => (taken -= bytes));
      });
      return true;
    },
    keepFor: (request, work) => void works.set(request, work),
  };
}

/** Node has checked that there is one length at most, and that it is a number. */
const announcedIn = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
