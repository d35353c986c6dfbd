import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import type { Secret } from '../secret.ts';
import { namespaceHeader } from './namespace-header.ts';
import type { TokenSource } from './token-source.ts';
import { createTransport, type Request, type TransportOptions } from './transport.ts';

export interface ClientOptions extends TransportOptions {
  readonly namespace?: string | undefined;
  readonly token: TokenSource;
  /** For one call with its login and its repetition; more than 5 s is cut to 5 s, or a hook call would outlive its timeout. */
  readonly timeoutMs: number;
}

/**
 * OpenBao's HTTP API; paths are below `/v1/`. Every answer is handed on, whatever its status; no answer at all, or no
 * token to ask with, is a `Trouble`.
 */
export interface Client {
  get(path: string): Promise<Answer>;
  /** For what the token may be forbidden without harm: a 403 is an answer, and no reason to log in again. */
  ask(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** `sys/health`: without token, and outside namespaces, where OpenBao refuses it. */
  health(): Promise<Answer>;
}

type Call = Omit<Request, 'headers' | 'repeatable'>;

const longestTimeoutMs = 5_000;

export const createClient = (options: ClientOptions): Client => {
  const transport = createTransport(options);
  const timeoutMs = Math.min(options.timeoutMs, longestTimeoutMs);

  const send = (call: Call, token: Secret, signal: AbortSignal): Promise<Answer> => {
    const headers = { 'X-Vault-Token': token.reveal(), ...namespaceHeader(options.namespace) };
    return transport({ ...call, headers, repeatable: call.method === 'GET' }, signal);
  };

  const call = async (request: Call): Promise<Answer> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const token = await inTime(options.token.current(), signal);
    const answer = await send(request, token, signal);
    if (wasTaken(answer)) options.token.worked(token, false);
    if (answer.status !== 403) return answer;
    // The token may have ended. Nothing was done with a 403, so a write may be sent again too.
    const renewed = await inTime(options.token.renew(token), signal);
    if (renewed.equals(token)) return answer;
    const second = await send(request, renewed, signal);
    if (wasTaken(second)) options.token.worked(renewed, true);
    return second;
  };

  return {
    get: (path) => call({ method: 'GET', path }),
    ask: async (path) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return send({ method: 'GET', path }, await inTime(options.token.current(), signal), signal);
    },
    post: (path, body) => call({ method: 'POST', path, body }),
    delete: (path) => call({ method: 'DELETE', path }),
    health: () =>
      transport(
        { method: 'GET', path: 'sys/health', headers: {}, repeatable: true },
        AbortSignal.timeout(timeoutMs),
      ),
  };
};

/** An answer that OpenBao gives to a good token only; an error of its own says nothing about it. */
const wasTaken = ({ status }: Answer): boolean => status < 300 || status === 404;

/** Many calls may wait for one login; each waits no longer than its own time. */
const inTime = (token: Promise<Secret>, signal: AbortSignal): Promise<Secret> =>
  new Promise((resolve, reject) => {
    const late = (): void =>
      reject(new Trouble('OpenBaoUnreachable', 'cannot log in to OpenBao: it did not answer in time'));
    if (signal.aborted) late();
    else signal.addEventListener('abort', late, { once: true });
    token.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
