import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

import type { Metrics } from '../metrics/metrics.ts';
import { boundedApp } from './bounded-app.ts';
import { refusalOf, refusals } from './errors.ts';
import { probeLimits, type ServerLimits } from './limits.ts';
import { remembered } from './remembered.ts';

interface Options {
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly logger: FastifyBaseLogger;
  /** False while the process is stopping or not able to serve. */
  readonly ready: () => boolean;
  readonly limits?: ServerLimits;
}

/** `/healthz`, `/readyz` and `/metrics` in plain HTTP, for the kubelet and Prometheus: no secret is in them. */
export function createProbes({ metrics, logger, ready, limits = probeLimits }: Options): FastifyInstance {
  const { app, refuse } = boundedApp({
    logger,
    limits,
    answerMs: limits.requestMs,
    onRefusal: () => undefined,
  });
  app.removeAllContentTypeParsers();
  app.setNotFoundHandler((_request, reply) => refuse(reply, refusals.notFound));
  app.setErrorHandler((error, _request, reply) => refuse(reply, refusalOf(error)));
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) => (ready() ? { status: 'ok' } : refuse(reply, refusals.stopping)));
  const render = remembered(1_000, metrics.render);
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await render()));
  return app;
}
