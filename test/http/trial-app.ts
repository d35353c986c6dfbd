import { Writable } from 'node:stream';

import { createApp } from '../../src/http/app.ts';
import { createBearerGate } from '../../src/http/bearer.ts';
import { hookLimits, type HookLimits } from '../../src/http/limits.ts';
import { createProbes } from '../../src/http/probes.ts';
import { hookRoutes, type Routes } from '../../src/http/routes.ts';
import type { Certificate } from '../../src/http/server.ts';
import { createLogger } from '../../src/log/logger.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { Secret } from '../../src/secret.ts';
import { ModelWorld } from '../reconcile/model-world.ts';
import { requestOf } from '../reconcile/metacontroller.ts';
import { instanceRequest, liveInstance } from '../reconcile/instance-turns.ts';

interface Options {
  readonly world?: ModelWorld;
  /** In place of the five hooks. */
  readonly routes?: Routes;
  readonly deadline?: number;
  readonly ready?: () => boolean;
  /** Nobody is asked for a token when there is none. */
  readonly tokens?: readonly string[];
  readonly certificate?: Certificate;
  /** In place of some of the product's own. */
  readonly limits?: Partial<HookLimits>;
}

/** The app as the process makes it, on the model world, with its log kept. */
export function trialApp(options: Options = {}) {
  const world = options.world ?? new ModelWorld();
  const log: string[] = [];
  const kept = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log.push(String(chunk));
      done();
    },
  });
  const metrics = createMetrics();
  const ready = options.ready ?? (() => true);
  const logger = createLogger('trace', kept);
  const gate = options.tokens && createBearerGate(options.tokens.map((token) => new Secret(token)));
  const app = createApp({
    routes: options.routes ?? hookRoutes(() => world.context),
    metrics,
    logger,
    deadline: options.deadline ?? 5_000,
    ready,
    gate,
    certificate: options.certificate,
    limits: { ...hookLimits, ...options.limits },
  });
  const probes = createProbes({ metrics, logger, ready });
  const post = (url: string, payload: unknown, headers: Record<string, string> = {}) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
  return { app, probes, world, metrics, post, log: () => log.join('') };
}

/** A route whose handler does this. */
export const routeThat = (handle: () => Promise<unknown>): Routes => ({
  '/tenants/sync': () => ({ kind: 'request', handle }),
});

export const hooks = [
  '/tenants/sync',
  '/tenants/finalize',
  '/tenants/customize',
  '/instances/sync',
  '/instances/finalize',
] as const;

/** A body that this hook takes. */
export function bodyFor(world: ModelWorld, path: string): Record<string, unknown> & { parent: object } {
  if (path.startsWith('/instances')) return instanceRequest(liveInstance(world));
  const request = requestOf(world);
  return path.endsWith('/customize') ? { controller: {}, parent: request.parent } : request;
}
