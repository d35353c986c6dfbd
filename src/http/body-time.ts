import type { onRequestHookHandler } from 'fastify';

/** Milliseconds from the head of a request to the end of its body, which comes from the same cluster in one go. */
const bodyTime = 2_000;

/**
 * Ends the connection of a request whose body takes too long: it would hold memory and one of the bounded connections.
 * Node's own `requestTimeout` is no match for this: it also counts down on a new connection that has not been used yet,
 * and Go's clients open some in advance.
 */
export const limitBodyTime: onRequestHookHandler = ({ raw }, reply, done) => {
  const timer = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy();
  }, bodyTime);
  const stop = () => {
    clearTimeout(timer);
  };
  raw.once('end', stop);
  // What is answered without its body, or whose client went away.
  reply.raw.once('close', stop);
  done();
};
