import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { KubeObject } from '../world/kubernetes/client.ts';
import type { FaultInjector } from '../world/metacontroller/faults.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import type { Certificate } from '../world/servers/pki.ts';
import { StaleParents } from './stale-parents.ts';

interface Options {
  /** Default: a free one. */
  readonly port?: number;
  /** What the hook presents, and this does too. */
  readonly certificate: Certificate;
  /** Where calls go, asked for each of them. */
  readonly target: () => string;
  readonly faults: FaultInjector;
  readonly onCall: (call: HookCall) => void;
}

interface Body {
  readonly controller: KubeObject;
  readonly parent: KubeObject;
  readonly [key: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Stands between Metacontroller and the hook: writes down every call, and lets calls go wrong as `faults` says. */
export class HookEdge {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #options: Options;
  readonly #agent: Agent;
  readonly #stale: StaleParents;

  private constructor(server: ReturnType<typeof createServer>, options: Options) {
    this.#server = server;
    this.#options = options;
    this.#stale = new StaleParents(options.faults);
    this.#agent = new Agent({ ca: options.certificate.ca, keepAlive: true });
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(options: Options): Promise<HookEdge> {
    const { cert, key, ca } = options.certificate;
    // Answers carry the hook's own `keep-alive`: a connection must not end earlier here than they say.
    const server = createServer({ cert: `${cert}\n${ca}`, key, keepAliveTimeout: 0 });
    server.listen(options.port ?? 0, '127.0.0.1');
    await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
    const edge = new HookEdge(server, options);
    server.on('request', (message, response) => {
      edge.#serve(message, response).catch(() => response.destroy());
    });
    return edge;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    this.#agent.destroy();
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(message)) as Body;
    const hook = (message.url ?? '').split('/').at(-1) as HookCall['hook'];
    const { faults } = this.#options;
    await faults.faults.beforeCall?.(hook, body.parent);
    const sent = hook === 'sync' ? this.#stale.apply(body) : body;
    const posts = Array.from({ length: faults.duplicateNow() ? 2 : 1 }, () =>
      this.#post(message, response, hook, sent),
    );
    await Promise.allSettled(posts);
    const answer = await posts.at(-1);
    if (answer === undefined) return void response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  async #post(
    message: IncomingMessage,
    response: ServerResponse,
    hook: HookCall['hook'],
    body: Body,
  ): Promise<Answer | undefined> {
    const startedAt = Date.now();
    const { namespace, name } = body.parent.metadata;
    const call = {
      controller: body.controller.metadata.name,
      hook,
      namespace,
      name,
      request: body,
      startedAt,
    };
    const record = (outcome: Pick<HookCall, 'status' | 'response' | 'error'>): void =>
      this.#options.onCall({ ...call, ...outcome, durationMs: Date.now() - startedAt });
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), this.#options.faults.faults.timeoutAfterMs ?? 60_000);
    response.once('close', () => abort.abort());
    try {
      const answer = await this.#send(message, JSON.stringify(body), abort.signal);
      record({ status: answer.status, response: parsedOrText(answer.body), error: undefined });
      return answer;
    } catch (error) {
      record({ status: undefined, response: undefined, error: String(error) });
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #send(message: IncomingMessage, body: string, signal: AbortSignal): Promise<Answer> {
    const url = new URL(message.url ?? '/', this.#options.target());
    const headers = { ...message.headers, 'content-length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, method: 'POST', headers, signal };
      const sent = request(url, options, (answer) => {
        text(answer).then(
          (whole) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: whole }),
          reject,
        );
      });
      sent.once('error', reject).end(body);
    });
  }
}

const parsedOrText = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
};
