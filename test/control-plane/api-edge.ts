import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { Faults } from '../world/kubernetes/faults.ts';
import type { KubeApiserver } from './kube-apiserver.ts';

export interface ApiEdge {
  readonly url: string;
  /** `contentPauseMs` has no effect here: emptying a namespace is the controller manager's. */
  readonly faults: Faults;
  close(): Promise<void>;
}

/**
 * A way to the API server that can be closed, made slow, and lose requests: `lost` says whether this one never arrives.
 * It presents the certificate of the API server.
 */
export async function startApiEdge(
  api: KubeApiserver,
  lost: (method: string, path: string) => boolean = () => false,
): Promise<ApiEdge> {
  const agent = new Agent({ ca: api.ca, keepAlive: true });
  const certificate = { cert: await readFile(api.certificateFile), key: await readFile(api.keyFile) };
  const server = createServer(certificate, (message, response) => {
    serve(message, response).catch(() => response.destroy());
  });
  const faults = new Faults(() => server.closeAllConnections());

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (faults.delayMs > 0) await delay(faults.delayMs);
    if (faults.down || lost(message.method ?? '', message.url ?? '')) return void message.socket.destroy();
    forward(message, response, { agent, url: api.url });
  }

  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    agent.destroy();
  };
  return { url: `https://127.0.0.1:${port}`, faults, close };
}

function forward(
  message: IncomingMessage,
  response: ServerResponse,
  { agent, url }: { readonly agent: Agent; readonly url: string },
): void {
  const { method, headers } = message;
  const onward = request(new URL(message.url ?? '/', url), { agent, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
    answer.once('error', () => response.destroy());
  });
  onward.once('error', () => response.destroy());
  response.once('close', () => onward.destroy());
  message.pipe(onward);
}
