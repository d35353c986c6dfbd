import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends a connection that brings requests ahead of their turn. Node would take as many as come, each with all that is
 * made for a request, and hold their answers back until the first one has been read. Go's client never sends ahead.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const latest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const former = latest.get(socket);
    if (former !== undefined && !isAnswered(former)) {
      socket.destroy();
      return;
    }
    latest.set(socket, response);
    listener(request, response);
  };
}

/**
 * Over TLS a client may have an answer before Node knows that it is sent; so an answer that is given counts, unless it
 * waits in line itself (then it has no socket yet).
 */
const isAnswered = ({ writableFinished, writableEnded, socket }: ServerResponse): boolean =>
  writableFinished || (writableEnded && socket !== null);
