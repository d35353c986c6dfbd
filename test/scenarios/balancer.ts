import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { Certificate } from '../world/servers/pki.ts';

export interface Balancer {
  readonly url: string;
  /** How many requests each target got. */
  readonly served: readonly number[];
  close(): Promise<void>;
}

/** One address for several replicas with one certificate: each request goes to the next one, also on one connection. */
export async function startBalancer(
  targets: readonly string[],
  { ca, cert, key }: Certificate,
): Promise<Balancer> {
  const served = targets.map(() => 0);
  let next = 0;
  // Answers carry the hook's own `keep-alive`: a connection must not end earlier here than they say.
  const server = createServer({ cert, key, keepAliveTimeout: 0 }, (message, response) => {
    const index = next % targets.length;
    next += 1;
    served[index] = (served[index] ?? 0) + 1;
    forward({ target: targets[index] ?? '', ca }, message, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `https://127.0.0.1:${port}`, served, close };
}

function forward(
  { target, ca }: { readonly target: string; readonly ca: string },
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { method = 'GET', url = '/', headers } = message;
  const onward = request(new URL(url, target), { method, headers, ca }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.destroy());
  message.pipe(onward);
}
