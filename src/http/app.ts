import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';

import { Trouble } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { admitRequests } from './admit-requests.ts';
import type { BearerGate } from './bearer.ts';
import { answerClientErrors } from './client-error.ts';
import { boundClosing } from './closing.ts';
import { boundConnections, type Connections } from './connections.ts';
import { byDeadline } from './deadline.ts';
import { refusalOf, refusals, type Refusal } from './errors.ts';
import { limitInFlight } from './in-flight.ts';
import { takeJsonOnly } from './json-body.ts';
import { hookLimits, type ServerLimits } from './limits.ts';
import { quietly } from './quiet-logger.ts';
import { rarely } from './rarely.ts';
import { requestIdOf } from './request-id.ts';
import type { Routes } from './routes.ts';
import { createBoundedServer, type Certificate } from './server.ts';

interface Options {
  readonly routes: Routes;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds within which every hook is answered; below the timeout in the CompositeControllers. */
  readonly deadline: number;
  /** False while the process is stopping or not able to serve. */
  readonly ready: () => boolean;
  /** Undefined: nobody is asked for a token. */
  readonly gate?: BearerGate | undefined;
  /** Undefined: plain HTTP. */
  readonly certificate?: Certificate | undefined;
  readonly limits?: ServerLimits;
}

/** What comes after the deadline: the answer, and the way back of its last byte. */
const afterDeadlineMs = 5_000;

/** The hook as an HTTP server, not yet listening. It answers the five paths and nothing else. */
export function createApp(options: Options): FastifyInstance {
  const { routes, metrics, logger, deadline, ready, gate, certificate, limits = hookLimits } = options;
  const refuse = refuser(metrics);
  const app = Fastify({
    loggerInstance: quietly(logger),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    serverFactory: (listener) => {
      const silenceMs = Math.max(limits.requestMs, deadline + afterDeadlineMs);
      return createBoundedServer(listener, { limits, certificate, silenceMs });
    },
    forceCloseConnections: 'idle',
    // What arrives on a connection that is still open is answered too: a 503 would only be asked again.
    return503OnClosing: false,
    // Errors before any route is found: Fastify's own answers repeat what was asked for.
    frameworkErrors: (_error, _request, reply) => void refuse(reply, refusals.notFound),
    clientErrorHandler: answerClientErrors(({ cause }) => metrics.refused(cause)),
  });
  const connections = boundConnections(app.server, limits.connections);
  boundClosing(app, connections, deadline + afterDeadlineMs);
  takeJsonOnly(app);
  refuseInFixedWords(app, routes, refuse);
  admitRequests(app, { gate, limits, connections, refuse });
  addHeaders(app, ready);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestDone(route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  addHooks(app, { routes, metrics, deadline, connections, refuse });
  return app;
}

type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply;

const refuser =
  (metrics: Metrics): Refuse =>
  (reply, { cause, status, body, retryAfter }) => {
    metrics.refused(cause);
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
    return reply.code(status).send(body);
  };

function refuseInFixedWords(app: FastifyInstance, routes: Routes, refuse: Refuse): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?');
    if (!Object.hasOwn(routes, path)) return refuse(reply, refusals.notFound);
    return refuse(reply.header('allow', 'POST'), refusals.notPost);
  });
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500)
      request.log.error({ ...logFieldsOf(error), route: request.routeOptions.url }, 'bug');
    return refuse(reply, refusal);
  });
}

function addHeaders(app: FastifyInstance, ready: () => boolean): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    void reply.header('x-request-id', request.id);
    // A connection that Metacontroller keeps open would hold up the end of the process by its idle time.
    if (!ready()) void reply.header('connection', 'close');
    // Closed at once, a client that is still sending its body might not see why it was refused. It has as long as any.
    else if (!request.raw.complete) void reply.removeHeader('connection');
    done();
  });
}

interface Hooks extends Pick<Options, 'routes' | 'metrics' | 'deadline'> {
  readonly connections: Connections;
  readonly refuse: Refuse;
}

function addHooks(app: FastifyInstance, { routes, metrics, deadline, connections, refuse }: Hooks): void {
  const inFlight = limitInFlight(metrics.inFlight);
  const tell = rarely(1_000);
  for (const [path, route] of Object.entries(routes)) {
    app.post(path, async (request, reply) => {
      const read = route(request.body);
      if (read.kind === 'malformed') {
        tell(() => request.log.warn({ route: path, fields: read.fields }, 'malformed hook request'));
        return refuse(reply, refusals.malformed);
      }
      connections.trust(request.raw.socket);
      return inFlight(() => byDeadline(deadline, read.handle(request.id)), read.instance);
    });
  }
}

/** Known trouble should have become a condition: where it came from says enough. */
const logFieldsOf = (error: unknown) =>
  error instanceof Trouble ? { reason: error.reason } : { err: error };
