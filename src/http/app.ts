import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';

import { Trouble } from '../errors.ts';
import { limitBodyTime } from './body-time.ts';
import { byDeadline } from './deadline.ts';
import { refusalOf, refusals, type Refusal } from './errors.ts';
import { limitInFlight } from './in-flight.ts';
import type { Metrics } from './metrics.ts';
import type { Routes } from './routes.ts';

interface Options {
  readonly routes: Routes;
  readonly metrics: Metrics;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds within which every hook is answered; below the timeout in the CompositeControllers. */
  readonly deadline: number;
  /** False while the process is stopping or not able to serve. */
  readonly ready: () => boolean;
}

/**
 * etcd stops at 1.5 MiB for one object. A request holds at most two that large: the parent, and either its child or the
 * related Instance, which are small by nature; the last MiB is for the controller and for spaces in the JSON.
 */
const bodyLimit = 4 * 1024 * 1024;

/** Far above what Metacontroller's workers hold open, far below what files and memory allow. */
const maxConnections = 256;

/** The hook as an HTTP server, not yet listening. */
export function createApp({ routes, metrics, logger, deadline, ready }: Options): FastifyInstance {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    connectionTimeout: 30_000,
    requestTimeout: 30_000,
    // Go keeps idle connections for 90 s: longer here, so that it is never us who close one that it is about to use.
    keepAliveTimeout: 120_000,
    forceCloseConnections: 'idle',
    // What arrives on a connection that is still open is answered too: a 503 would only be asked again.
    return503OnClosing: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    // Errors before any route is found: Fastify's own answers repeat what was asked for.
    frameworkErrors: (_error, _request, reply) => void send(reply, refusals.notFound),
  });
  app.removeContentTypeParser('text/plain');
  app.setNotFoundHandler((_request, reply) => send(reply, refusals.notFound));
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error);
    if (refusal.status === 500)
      request.log.error({ ...logFieldsOf(error), route: request.routeOptions.url }, 'bug');
    return send(reply, refusal);
  });
  app.addHook('onRequest', limitBodyTime);
  // A connection that Metacontroller keeps open would hold up the end of the process by its idle time.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (!ready()) void reply.header('connection', 'close');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestDone(route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  app.server.maxConnections = maxConnections;
  const inFlight = limitInFlight();
  for (const [path, route] of Object.entries(routes)) {
    app.post(path, async (request, reply) => {
      const read = route(request.body);
      if (read.kind === 'malformed') {
        request.log.warn({ route: path, fields: read.fields }, 'malformed hook request');
        return send(reply, refusals.malformed);
      }
      return inFlight(() => byDeadline(deadline, read.handle()));
    });
  }
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => (ready() ? { status: 'ok' } : send(reply, refusals.stopping)));
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return app;
}

/** Known trouble should have become a condition: where it came from says enough. */
const logFieldsOf = (error: unknown) =>
  error instanceof Trouble ? { reason: error.reason } : { err: error };

const send = (reply: FastifyReply, { status, body, retryAfter }: Refusal) => {
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  return reply.code(status).send(body);
};
