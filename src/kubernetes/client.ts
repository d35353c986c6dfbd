import axios, { type AxiosResponse } from 'axios';

import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import { createAxios } from '../http-client/axios-instance.ts';
import { isHeaderToken } from '../http-client/header-token.ts';
import { mountedCa } from '../http-client/mounted-ca.ts';
import { mountedFile } from '../http-client/mounted-file.ts';
import { unreachable } from './errors.ts';

export interface ClientOptions {
  readonly url: string;
  /** PEM bundle that stays; `caFile` wins over it. */
  readonly ca?: string | undefined;
  /** PEM bundle in a file, read again every minute. */
  readonly caFile?: string | undefined;
  /** The service account's token, read again every minute and at a 401. Without it requests are anonymous. */
  readonly tokenFile?: string | undefined;
  readonly clock: () => number;
}

/**
 * GET only, given up after 5 s and when `limit` says so. Throws `KubernetesUnreachable`, and `KubernetesForbidden` when
 * there is no token to show.
 */
export type Get = (
  path: string,
  query?: Readonly<Record<string, string | number>>,
  limit?: AbortSignal,
) => Promise<Answer>;

const timeoutMs = 5_000;
/** The kubelet renews a token long before it expires; a minute is what client-go takes too. */
const fileAgeMs = 60_000;
const sizeLimitBytes = 33_554_432;

export const createGet = (options: ClientOptions): Get => {
  const http = createAxios({
    baseUrl: options.url,
    headers: { Accept: 'application/json' },
    sizeLimitBytes,
  });
  const ca = mountedCa(options);
  const token = createTokenSource(options);

  return async (path, query = {}, limit) => {
    const time = AbortSignal.timeout(timeoutMs);
    const signal = limit === undefined ? time : AbortSignal.any([time, limit]);
    const send = async (bearer: string | undefined): Promise<AxiosResponse<unknown>> => {
      const headers = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
      const httpsAgent = await ca();
      if (httpsAgent === undefined) throw noCa();
      const config = { headers, params: query, signal, httpsAgent };
      return sendWithRepeat(() => http.get<unknown>(path, config));
    };
    const first = await token.current();
    const response = await send(first);
    if (response.status !== 401) return { status: response.status, body: response.data };
    const renewed = await token.reread();
    const { status, data } = renewed === first ? response : await send(renewed);
    return { status, body: data };
  };
};

const noCa = (): Trouble =>
  new Trouble('KubernetesUnreachable', 'cannot read the CA bundle of the Kubernetes API');

/** A kept socket that the server has just closed breaks the first request on it; a second one gets a new socket. */
const sendWithRepeat = async (
  send: () => Promise<AxiosResponse<unknown>>,
): Promise<AxiosResponse<unknown>> => {
  try {
    return await send();
  } catch (error) {
    if (!axios.isAxiosError(error) || !['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) {
      throw unreachable(error);
    }
  }
  try {
    return await send();
  } catch (error) {
    throw unreachable(error);
  }
};

const createTokenSource = ({ tokenFile, clock }: ClientOptions) => {
  const file =
    tokenFile === undefined
      ? undefined
      : mountedFile(tokenFile, { maxAgeMs: fileAgeMs, clock, usable: isHeaderToken });
  const checked = async (read: Promise<string> | undefined): Promise<string | undefined> => {
    const token = await read;
    if (token !== '') return token;
    throw new Trouble('KubernetesForbidden', 'cannot read the token for the Kubernetes API from its file');
  };
  return { current: () => checked(file?.text()), reread: () => checked(file?.reread()) };
};
