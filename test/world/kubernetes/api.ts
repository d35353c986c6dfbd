import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { ApiAnswer, ApiRequest } from './api-request.ts';
import { createState, type ApiState } from './api-state.ts';
import type { AuditEntry } from './audit.ts';
import { authenticate } from './authentication.ts';
import { Faults } from './faults.ts';
import { answerForError, readRequest, sendAnswer } from './http-exchange.ts';
import { isObject } from './json.ts';
import { read } from './reads.ts';
import { requestOnly } from './request-only.ts';
import { watch } from './watch.ts';
import { write } from './writes.ts';

export interface KubernetesApiOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** When given, every request must carry it, or a service account's token, as a bearer token. */
  readonly token?: string;
  /** How many changes a watch can look back; default 10000. */
  readonly watchHistory?: number;
  /** Of a service account's token; default 600 as in kube-apiserver, less for tests that wait until one expires. */
  readonly shortestTokenSeconds?: number;
}

export interface KubernetesApi {
  readonly url: string;
  readonly faults: Faults;
  /**
   * Every write request since the start, oldest first; writes of the built-in controllers are not among them, nor are
   * requests that store nothing.
   */
  readonly audit: AuditEntry[];
  /** Ends watches and connections at once; what was stored is lost. */
  close(): Promise<void>;
}

/** A stand-in for kube-apiserver with its garbage collector and namespace controller, on loopback, in memory. */
export async function startKubernetesApi(options: KubernetesApiOptions = {}): Promise<KubernetesApi> {
  const contentPauseMs = (): number => faults.contentPauseMs;
  const state = createState({ ...options, contentPauseMs });
  const audit: AuditEntry[] = [];
  const closing = new AbortController();
  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy());
  });
  const faults = new Faults(() => server.closeAllConnections());
  server.on('connection', (socket) => {
    if (faults.down) socket.destroy();
  });

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (faults.delayMs > 0) await delay(faults.delayMs, undefined, { signal: closing.signal });
    // A connection that was cut meanwhile must not write after all.
    if (faults.down || message.socket.destroyed) return void message.socket.destroy();
    await respond(message, response, state, audit, options.token);
  }

  server.listen(options.port ?? 0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    state.stop();
    closing.abort();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  return { url: `http://127.0.0.1:${port}`, faults, audit, close };
}

async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  state: ApiState,
  audit: AuditEntry[],
  token: string | undefined,
): Promise<void> {
  try {
    const user = authenticate(message, state.tokens, token);
    if (/^\/(readyz|livez|healthz)$/.test(message.url ?? '')) return void response.end('ok');
    const request = await readRequest(message, user);
    if (request.method === 'GET' && isWatch(request)) watch(state, request, response);
    else sendAnswer(response, answerTo(state, request, audit));
  } catch (error) {
    sendAnswer(response, answerForError(error));
  }
}

const isWatch = ({ query, path }: ApiRequest): boolean =>
  path.name === undefined && ['true', '1'].includes(query.get('watch') ?? '');

function answerTo(state: ApiState, request: ApiRequest, audit: AuditEntry[]): ApiAnswer {
  if (request.method === 'GET') return read(state, request);
  const answer = attempt(() => write(state, request));
  const verb = verbs[request.method];
  if (verb !== undefined && requestOnly(request) === undefined) audit.push(auditEntry(request, verb, answer));
  return answer;
}

function attempt(act: () => ApiAnswer): ApiAnswer {
  try {
    return act();
  } catch (error) {
    return answerForError(error);
  }
}

const verbs: Readonly<Record<string, AuditEntry['verb']>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function auditEntry(request: ApiRequest, verb: AuditEntry['verb'], { code, body }: ApiAnswer): AuditEntry {
  const { plural, group, namespace, name, subresource } = request.path;
  const answered = isObject(body['metadata']) ? body['metadata']['name'] : undefined;
  return {
    verb,
    resource: group === '' ? plural : `${plural}.${group}`,
    namespace,
    name: name ?? (typeof answered === 'string' ? answered : undefined),
    subresource,
    userAgent: request.userAgent,
    code,
  };
}
