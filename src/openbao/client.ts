import type { AxiosInstance } from 'axios';

import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import { createAxios } from '../http-client/axios-instance.ts';
import { connectionFailureOf, type ConnectionFailure } from '../http-client/connection-failure.ts';
import { createHttpsAgent } from '../http-client/https-agent.ts';
import type { Secret } from '../secret.ts';
import type { TokenSource } from './token-source.ts';

export interface ClientOptions {
  /** Base URL of the API, without `/v1`. */
  readonly address: string;
  readonly namespace?: string | undefined;
  /** PEM bundle; without it the system's roots count. */
  readonly ca?: string | undefined;
  readonly token: TokenSource;
  /** For one call with its repetition; more than 5 s is cut to 5 s, or a hook call would outlive its timeout. */
  readonly timeoutMs: number;
}

/**
 * OpenBao's HTTP API; paths are below `/v1/`. Every answer is handed on, whatever its status; no answer at all is a
 * `Trouble` (`OpenBaoUnreachable`). Library errors end here: they carry the token and the request's body.
 */
export interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** `sys/health`: without token, and outside namespaces, where OpenBao refuses it. */
  health(): Promise<Answer>;
}

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

type Sent =
  | { readonly answer: Answer; readonly failure?: never }
  | { readonly answer?: never; readonly failure: ConnectionFailure };

type Headers = Readonly<Record<string, string>>;

const longestTimeoutMs = 5_000;
const sizeLimitBytes = 1_048_576;

export const createClient = (options: ClientOptions): Client => {
  const http = createHttp(options);
  const timeoutMs = Math.min(options.timeoutMs, longestTimeoutMs);

  const headersFor = (token: Secret): Headers => ({
    'X-Vault-Token': token.reveal(),
    ...(options.namespace === undefined ? {} : { 'X-Vault-Namespace': options.namespace }),
  });

  const call = async (request: Request): Promise<Answer> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const token = await options.token.current();
    const answer = await sendWithRepeat(http, request, headersFor(token), signal);
    if (answer.status !== 403) return answer;
    // The token may have expired. Nothing was done with a 403, so a write may be sent again too.
    const renewed = await options.token.renew(token);
    return renewed.equals(token) ? answer : sendWithRepeat(http, request, headersFor(renewed), signal);
  };

  return {
    get: (path) => call({ method: 'GET', path }),
    post: (path, body) => call({ method: 'POST', path, body }),
    delete: (path) => call({ method: 'DELETE', path }),
    health: () =>
      sendWithRepeat(http, { method: 'GET', path: 'sys/health' }, {}, AbortSignal.timeout(timeoutMs)),
  };
};

/** One request; a GET is sent a second time when that may help. A write never is: its outcome must be read back. */
const sendWithRepeat = async (
  http: AxiosInstance,
  request: Request,
  headers: Headers,
  signal: AbortSignal,
): Promise<Answer> => {
  const first = await send(http, request, headers, signal);
  const sent =
    request.method === 'GET' && mayPass(first) ? await send(http, request, headers, signal) : first;
  if (sent.failure === undefined) return sent.answer;
  throw new Trouble('OpenBaoUnreachable', `cannot reach OpenBao: ${sent.failure.text}`, {
    outcomeUnknown: request.method !== 'GET' && sent.failure.mayHaveArrived,
  });
};

/**
 * A broken connection or a stumbling node may be over already; a seal is not. After the time limit a second request
 * ends before it is sent, because both share the limit.
 */
const mayPass = ({ answer, failure }: Sent): boolean =>
  failure !== undefined || (answer.status >= 500 && answer.status !== 503);

const send = async (
  http: AxiosInstance,
  { method, path, body }: Request,
  headers: Headers,
  signal: AbortSignal,
): Promise<Sent> => {
  try {
    const response = await http.request<unknown>({ method, url: `/v1/${path}`, headers, signal, data: body });
    return { answer: { status: response.status, body: response.data } };
  } catch (error) {
    return { failure: connectionFailureOf(error) };
  }
};

const createHttp = ({ address, ca }: ClientOptions): AxiosInstance =>
  createAxios({
    baseUrl: address,
    headers: { 'Content-Type': 'application/json', 'X-Vault-Request': 'true' },
    sizeLimitBytes,
    httpsAgent: createHttpsAgent(ca),
  });
