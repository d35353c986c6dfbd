import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';

import { limitBodyTime } from './body-time.ts';
import { answerClientErrors } from './client-error.ts';
import { boundClosing } from './closing.ts';
import { boundConnections, type Connections } from './connections.ts';
import { refusals, type Refusal } from './errors.ts';
import type { ServerLimits } from './limits.ts';
import { partingAnswer } from './parting-answer.ts';
import { quietly } from './quiet-logger.ts';
import { requestIdOf } from './request-id.ts';
import { createBoundedServer, type Certificate } from './server.ts';

interface Options {
  readonly logger: FastifyBaseLogger;
  readonly limits: ServerLimits;
  /** Milliseconds from a whole request to the last byte of its answer. */
  readonly answerMs: number;
  /** Undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Hears of every request that is refused, also of those that Node cannot read. */
  readonly onRefusal: (refusal: Refusal) => void;
}

export type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply;

interface BoundedApp {
  readonly app: FastifyInstance;
  readonly connections: Connections;
  readonly refuse: Refuse;
}

/** A server without routes, not yet listening. Its connections, heads, bodies and its end are bounded. */
export function boundedApp({ logger, limits, answerMs, certificate, onRefusal }: Options): BoundedApp {
  const refuse = refuser(onRefusal);
  const app = Fastify({
    loggerInstance: quietly(logger),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    serverFactory: (listener) => {
      const silenceMs = Math.max(limits.requestMs, answerMs);
      return createBoundedServer(listener, { limits, certificate, silenceMs });
    },
    forceCloseConnections: 'idle',
    // What arrives on a connection that is still open is answered too: a 503 would only be asked again.
    return503OnClosing: false,
    // Errors before any route is found: Fastify's own answers repeat what was asked for.
    frameworkErrors: (_error, _request, reply) => void refuse(reply, refusals.notFound),
    clientErrorHandler: answerClientErrors(onRefusal),
  });
  const connections = boundConnections(app.server, limits.connections);
  boundClosing(app, connections, answerMs);
  app.addHook('onRequest', limitBodyTime(limits.bodyMs, connections));
  app.addHook('onRequest', ({ raw: { headers, httpVersion } }, reply, done) => {
    if (headers.host === undefined && httpVersion === '1.1') refuse(reply, refusals.unreadable);
    else if (!/^100-continue$/i.test(headers.expect ?? '100-continue')) refuse(reply, refusals.unexpected);
    else done();
  });
  // Not from the head on: whoever sends nothing else would hold the places of those that do.
  app.addHook('preHandler', (request, reply, done) => {
    connections.work(request.raw.socket, reply.raw);
    done();
  });
  return { app, connections, refuse };
}

const refuser =
  (onRefusal: Options['onRefusal']): Refuse =>
  (reply, refusal) => {
    onRefusal(refusal);
    const { status, body, retryAfter } = refusal;
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
    void reply.code(status);
    const { raw } = reply.request;
    if (raw.complete || raw.readableEnded) return reply.send(body);
    const text = JSON.stringify(body);
    void reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(text) });
    return reply.type('application/json').send(partingAnswer(text, raw));
  };
