import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface StubAnswer {
  readonly status?: number;
  /** An object is sent as JSON, a string as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the stub does with a request: an answer, or `undefined` when the handler deals with the response itself. */
type Handler = (request: IncomingMessage, response: ServerResponse) => StubAnswer | undefined;

export interface HttpStub extends AsyncDisposable {
  readonly url: string;
  /** Method and path with query of every request so far. */
  readonly seen: readonly string[];
}

/** A server that answers as the test wants it, for faults that no real one shows on demand; HTTPS when `tls` is given. */
export const startHttpStub = async (handler: Handler, tls?: ServerOptions): Promise<HttpStub> => {
  const seen: string[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const answer = handler(request, response);
    if (answer === undefined) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
