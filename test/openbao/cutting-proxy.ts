import { request as send, type IncomingMessage, type ServerResponse } from 'node:http';

import { startHttpStub, type HttpStub } from '../http-stub.ts';

export interface CuttingProxy extends HttpStub {
  /** Forwards the next request of this method in full, and cuts the connection in place of its answer. */
  cutAnswerOf(method: string): void;
}

/** Forwards everything to `target`. */
export const startCuttingProxy = async (target: string): Promise<CuttingProxy> => {
  let cut: string | undefined;
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): undefined => {
    const cuts = incoming.method === cut;
    if (cuts) cut = undefined;
    const { method, headers } = incoming;
    const upstream = send(`${target}${incoming.url ?? ''}`, { method, headers }, (answer) => {
      if (!cuts) {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      answer.resume().on('end', () => incoming.socket.resetAndDestroy());
    });
    upstream.on('error', () => incoming.socket.destroy());
    incoming.pipe(upstream);
  };
  const stub = await startHttpStub(forward);
  return { ...stub, cutAnswerOf: (method) => void (cut = method) };
};
