import type { onRequestHookHandler } from 'fastify';

import type { Connections } from './connections.ts';

/**
 * Ends the connection of a request whose body takes longer than that from the end of its head on: it would hold memory
 * and one of the bounded connections, also when it was refused before its body was read. Node's own `requestTimeout` is
 * no match for this: it also counts down on a new connection that has not been used yet.
 */
export const limitBodyTime =
  (milliseconds: number, { end }: Connections): onRequestHookHandler =>
  ({ raw }, _reply, done) => {
    const judge = () => {
      if (!raw.complete) end(raw.socket);
    };
    // After a stall of the process timers come before what has arrived meanwhile, so that is let in first.
    const timer = setTimeout(() => setImmediate(judge), milliseconds).unref();
    const stop = () => {
      clearTimeout(timer);
    };
    raw.once('end', stop).once('close', stop);
    done();
  };
