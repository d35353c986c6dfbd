import type { FastifyReply, onRequestHookHandler } from 'fastify';

/** Each may hold a body of the full size, so this bounds memory; Metacontroller has a few workers for each kind. */
const maxInFlight = 64;

/** Refuses a request before its body is read while as many others as may be are under way. */
export function limitInFlight(refuse: (reply: FastifyReply) => void): onRequestHookHandler {
  let inFlight = 0;
  return (_request, reply, done) => {
    if (inFlight >= maxInFlight) {
      refuse(reply);
      return;
    }
    inFlight += 1;
    // 'close' comes exactly once, also when the client goes away before it is answered.
    reply.raw.once('close', () => (inFlight -= 1));
    done();
  };
}
