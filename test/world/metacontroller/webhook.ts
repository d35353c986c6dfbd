import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

import axios, { type AxiosInstance, type AxiosResponse } from 'axios';

import { type WebhookSpec, webhookTimeoutMs, webhookUrl } from './composite-controller.ts';

export interface WebhookAnswer {
  status: number;
  body: string;
  /** The header of that name, as it came. */
  retryAfter: string | undefined;
}

/** One hook's address: a POST client that keeps connections open, as Go's does. */
export class Webhook {
  readonly #http: AxiosInstance;
  readonly #agents: readonly [HttpAgent, HttpsAgent];
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #authorization: string | undefined;

  constructor(spec: WebhookSpec, authorization?: string) {
    this.#authorization = authorization;
    this.#url = webhookUrl(spec);
    this.#timeoutMs = webhookTimeoutMs(spec);
    const keepAlive = { keepAlive: true, keepAliveMsecs: 30_000 };
    // HTTP/2 is offered as Go's client does it; nothing here speaks it, so a hook that took it would be noticed.
    const ca = spec.caBundle === undefined ? {} : { ca: spec.caBundle.inline };
    const tls = { ...ca, minVersion: 'TLSv1.2', ALPNProtocols: ['h2', 'http/1.1'] } as const;
    this.#agents = [new HttpAgent(keepAlive), new HttpsAgent({ ...keepAlive, ...tls })];
    this.#http = axios.create({
      httpAgent: this.#agents[0],
      httpsAgent: this.#agents[1],
      proxy: false,
      maxRedirects: 10,
      responseType: 'text',
      transformResponse: (text: unknown) => text,
      validateStatus: () => true,
    });
  }

  /** Throws when no whole answer comes in time (`timeoutMs` replaces the hook's own) or `signal` aborts: the connection is then dropped. */
  async post(body: string, signal: AbortSignal, timeoutMs = this.#timeoutMs): Promise<WebhookAnswer> {
    const abort = new AbortController();
    const onStop = (): void => abort.abort();
    signal.addEventListener('abort', onStop);
    const timer = setTimeout(onStop, timeoutMs);
    try {
      const response = await this.#send(body, abort.signal);
      const retryAfter: unknown = response.headers['retry-after'];
      return {
        status: response.status,
        body: response.data,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    } catch (error) {
      throw new Error(`http error: Post "${this.#url}": ${causeOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onStop);
    }
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  #send(body: string, signal: AbortSignal): Promise<AxiosResponse<string>> {
    if (signal.aborted) throw new Error('context canceled');
    return this.#http.post<string>(this.#url, body, {
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Go-http-client/1.1',
        'accept-encoding': 'gzip',
        accept: null,
        ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
      },
    });
  }
}

const causeOf = (error: unknown): string => {
  if (axios.isCancel(error))
    return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  return error instanceof Error ? error.message : String(error);
};
