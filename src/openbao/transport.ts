import type { AxiosInstance } from 'axios';

import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import { createAxios } from '../http-client/axios-instance.ts';
import { connectionFailureOf, type ConnectionFailure } from '../http-client/connection-failure.ts';
import { mountedCa } from '../http-client/mounted-ca.ts';

export interface TransportOptions {
  /** Base URL of the API, without `/v1`. */
  readonly address: string;
  /** PEM bundle that stays; `caFile` wins over it. Without either the system's roots count. */
  readonly ca?: string | undefined;
  /** PEM bundle in a file, read again every minute. */
  readonly caFile?: string | undefined;
  /** Milliseconds that only grow; the process's own when it is not given. */
  readonly clock?: (() => number) | undefined;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/v1/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  /** May be sent a second time when that may help. A write may not: its outcome must be read back. */
  readonly repeatable: boolean;
}

/**
 * One request to OpenBao. Every answer is handed on, whatever its status; no answer at all is a `Trouble`
 * (`OpenBaoUnreachable`). Library errors end here: they carry the token and the request's body.
 */
export type Transport = (request: Request, signal: AbortSignal) => Promise<Answer>;

type Sent =
  | { readonly answer: Answer; readonly failure?: never }
  | { readonly answer?: never; readonly failure: ConnectionFailure };

const sizeLimitBytes = 1_048_576;

export const createTransport = ({ address, ca, caFile, clock }: TransportOptions): Transport => {
  const http = createAxios({
    baseUrl: address,
    headers: { 'Content-Type': 'application/json', 'X-Vault-Request': 'true' },
    sizeLimitBytes,
  });
  const agent = mountedCa({ ca, caFile, clock: clock ?? (() => performance.now()) });

  const send = async (request: Request, signal: AbortSignal): Promise<Sent> => {
    const httpsAgent = await agent();
    if (httpsAgent === undefined) return { failure: noCa };
    return sendOnce(http, request, { signal, httpsAgent });
  };

  return async (request, signal) => {
    const first = await send(request, signal);
    const sent = request.repeatable && mayPass(first) ? await send(request, signal) : first;
    if (sent.failure === undefined) return sent.answer;
    throw new Trouble('OpenBaoUnreachable', `cannot reach OpenBao: ${sent.failure.text}; it is tried again`, {
      outcomeUnknown: !request.repeatable && sent.failure.mayHaveArrived,
    });
  };
};

const noCa: ConnectionFailure = {
  text: 'the file of its CA certificates cannot be read or holds none (OPENBAO_CA_FILE)',
  mayHaveArrived: false,
};

/**
 * A broken connection or a stumbling node may be over already; a seal is not. After the time limit a second request
 * ends before it is sent, because both share the limit.
 */
const mayPass = ({ answer, failure }: Sent): boolean =>
  failure !== undefined || (answer.status >= 500 && answer.status !== 503);

const sendOnce = async (
  http: AxiosInstance,
  { method, path, headers, body }: Request,
  how: Parameters<AxiosInstance['request']>[0],
): Promise<Sent> => {
  try {
    const response = await http.request<unknown>({ ...how, method, url: `/v1/${path}`, headers, data: body });
    return { answer: { status: response.status, body: response.data } };
  } catch (error) {
    return { failure: connectionFailureOf(error) };
  }
};
