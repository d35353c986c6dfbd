import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

import { Trouble } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { admitRequests } from './admit-requests.ts';
import type { BearerGate } from './bearer.ts';
import { limitBodyBytes, type BodyBytes } from './body-bytes.ts';
import { boundedApp, type Refuse } from './bounded-app.ts';
import type { Connections } from './connections.ts';
import { byDeadline } from './deadline.ts';
import { refusalOf, refusals } from './errors.ts';
import { limitInFlight } from './in-flight.ts';
import { takeJsonOnly } from './json-body.ts';
import { hookLimits, type HookLimits } from './limits.ts';
import { rarely } from './rarely.ts';
import type { Routes } from './routes.ts';
import type { Certificate } from './server.ts';

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
  readonly limits?: HookLimits;
}

/** From the deadline to the last byte of the answer. */
const sendingMs = 5_000;

/** The hook as an HTTP server, not yet listening. It answers the five paths and nothing else. */
export function createApp(options: Options): FastifyInstance {
  const { routes, metrics, logger, deadline, ready, gate, certificate, limits = hookLimits } = options;
  const { app, connections, refuse } = boundedApp({
    logger,
    limits,
    answerMs: deadline + sendingMs,
    certificate,
    onRefusal: ({ cause }) => metrics.refused(cause),
  });
  const bodies = limitBodyBytes(limits);
  takeJsonOnly(app);
  refuseInFixedWords(app, routes, refuse);
  admitRequests(app, { gate, bodies, refuse });
  addHeaders(app, ready);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestDone(route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  addHooks(app, { routes, metrics, deadline, connections, bodies, refuse });
  return app;
}

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
    done();
  });
}

interface Hooks extends Pick<Options, 'routes' | 'metrics' | 'deadline'> {
  readonly connections: Connections;
  readonly bodies: BodyBytes;
  readonly refuse: Refuse;
}

function addHooks(
  app: FastifyInstance,
  { routes, metrics, deadline, connections, bodies, refuse }: Hooks,
): void {
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
      // The place is taken by the work and not by its answer, which may come earlier.
      const work = inFlight(() => read.handle(request.id), read.instance);
      bodies.keepFor(request.raw, work);
      return byDeadline(deadline, work);
    });
  }
}

/** Known trouble should have become a condition: where it came from says enough. */
const logFieldsOf = (error: unknown) =>
  error instanceof Trouble ? { reason: error.reason } : { err: error };
