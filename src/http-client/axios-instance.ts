import { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

import axios, { type AxiosInstance } from 'axios';

import { keepAlive } from './keep-alive.ts';

interface Options {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the bodies of requests and of answers. */
  readonly sizeLimitBytes: number;
  /** Without it every request over TLS must bring one of its own. */
  readonly httpsAgent?: HttpsAgent;
}

/** Speaks to one server and to nobody else; every status is an answer. What it throws carries the token. */
export const createAxios = ({ baseUrl, headers, sizeLimitBytes, httpsAgent }: Options): AxiosInstance =>
  axios.create({
    baseURL: baseUrl,
    allowAbsoluteUrls: false,
    adapter: 'http',
    // A redirect would carry the token to another host, and turn a POST into a GET.
    maxRedirects: 0,
    proxy: false,
    maxContentLength: sizeLimitBytes,
    maxBodyLength: sizeLimitBytes,
    validateStatus: () => true,
    headers,
    httpAgent: new HttpAgent(keepAlive),
    httpsAgent,
  });
