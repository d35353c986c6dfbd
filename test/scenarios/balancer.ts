import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** How many requests each target got. */
  readonly served: readonly number[];
  close(): Promise<void>;
}

/** One address for several replicas: each request goes to the next one, also on one connection. */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const served = targets.map(() => 0);
  let next = 0;
  const server = createServer((message, response) => {
    const index = next % targets.length;
    next += 1;
    served[index] = (served[index] ?? 0) + 1;
    forward(targets[index] ?? '', message, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, served, close };
}

function forward(target: string, message: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = message;
  const onward = request(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.destroy());
  message.pipe(onward);
}
