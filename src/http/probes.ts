import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';

import type { Metrics } from '../metrics/metrics.ts';
import { limitBodyTime } from './body-time.ts';
import { answerClientErrors } from './client-error.ts';
import { boundClosing } from './closing.ts';
import { boundConnections } from './connections.ts';
import { refusalOf, refusals, type Refusal } from './errors.ts';
import { probeLimits, type ServerLimits } from './limits.ts';
import { quietly } from './quiet-logger.ts';
import { createBoundedServer } from './server.ts';

interface Options {
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly logger: FastifyBaseLogger;
  /** False while the process is stopping or not able to serve. */
  readonly ready: () => boolean;
  readonly limits?: ServerLimits;
}

/** `/healthz`, `/readyz` and `/metrics` in plain HTTP, for the kubelet and Prometheus: no secret is in them. */
export function createProbes({ metrics, logger, ready, limits = probeLimits }: Options): FastifyInstance {
  const app = Fastify({
    loggerInstance: quietly(logger),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    serverFactory: (listener) => createBoundedServer(listener, { limits, silenceMs: limits.requestMs }),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => void refuse(reply, refusals.notFound),
    clientErrorHandler: answerClientErrors(() => undefined),
  });
  const connections = boundConnections(app.server, limits.connections);
  boundClosing(app, connections, limits.requestMs);
  app.removeAllContentTypeParsers();
  app.setNotFoundHandler((_request, reply) => refuse(reply, refusals.notFound));
  app.setErrorHandler((error, _request, reply) => refuse(reply, refusalOf(error)));
  app.addHook('onRequest', limitBodyTime(limits.bodyMs, connections));
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => (ready() ? { status: 'ok' } : refuse(reply, refusals.stopping)));
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return app;
}

const refuse = (reply: FastifyReply, { status, body }: Refusal) => reply.code(status).send(body);
