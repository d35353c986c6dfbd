import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { KubeObject } from '../kubernetes/client.ts';
import type { ObjectMap } from './object-map.ts';

export interface HookRequest {
  /** `sync`, `finalize` or `customize`. */
  hook: string;
  method: string;
  headers: IncomingHttpHeaders;
  /** Port of the caller: the same one means the same connection. */
  clientPort: number | undefined;
  body: {
    controller: KubeObject;
    parent: KubeObject;
    children: ObjectMap;
    related: ObjectMap;
    finalizing: boolean;
  };
}

export interface HookAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A string goes out as it is. */
  body?: unknown;
}

export interface TrialHook {
  url: string;
  requests: HookRequest[];
  /** Requests that are being answered now, and the most that there were at once for one parent. */
  busiest: number;
  /** What it answers; by default an empty object. */
  answer: (request: HookRequest) => HookAnswer | Promise<HookAnswer>;
  of(hook: string): HookRequest[];
  stop(): Promise<void>;
}

/** A webhook backend that answers what the test wants; over TLS when there is a certificate (PEM). */
export const startTrialHook = async (tls?: { cert: string; key: string }): Promise<TrialHook> => {
  const running = new Map<string, number>();
  const listener: RequestListener = (incoming, outgoing) => {
    void (async () => {
      const request = await read(incoming).catch(() => undefined);
      // The caller hung up before it had said everything.
      if (request === undefined) return;
      trial.requests.push(request);
      const key = request.body.parent.metadata.name;
      running.set(key, (running.get(key) ?? 0) + 1);
      trial.busiest = Math.max(trial.busiest, running.get(key) ?? 0);
      const { status = 200, headers = {}, body = {} } = await trial.answer(request);
      running.set(key, (running.get(key) ?? 0) - 1);
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    })();
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const trial: TrialHook = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests: [],
    busiest: 0,
    answer: () => ({}),
    of: (hook) => trial.requests.filter((request) => request.hook === hook),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return trial;
};

const read = async (incoming: IncomingMessage): Promise<HookRequest> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    hook: (incoming.url ?? '').slice(1),
    method: incoming.method ?? '',
    headers: incoming.headers,
    clientPort: incoming.socket.remotePort,
    body: JSON.parse(Buffer.concat(chunks).toString()) as HookRequest['body'],
  };
};
