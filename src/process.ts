import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

import { actLog } from './act-log.ts';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { createMetrics } from './http/metrics.ts';
import { hookRoutes } from './http/routes.ts';
import { createKubernetesReader } from './kubernetes/reader.ts';
import { createCredentialStore } from './openbao/credentials.ts';
import { createTokenFile } from './openbao/token-file.ts';
import { createServers } from './postgres/servers.ts';
import type { ActLog, Context } from './reconcile/context.ts';
import type { Servers } from './reconcile/ports.ts';
import { SessionMemory } from './reconcile/session-memory.ts';

export interface Operator {
  /** Where the hook listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Readiness goes down, and everybody gets `drainMs` to see it; requests are still answered. `cutShort` ends the pause. */
  drain(cutShort: AbortSignal): Promise<void>;
  /** Requests under way are answered, connections are closed. Bounded by the request deadline. */
  close(): Promise<void>;
}

/** OpenBao is asked for a moment only: a call and its repetition must fit into a hook call with room to spare. */
const openBaoTimeoutMs = 4_000;

/** Puts the parts together and listens. Throws when the address cannot be had. */
export async function startProcess(config: Config, logger: Logger): Promise<Operator> {
  const metrics = createMetrics();
  const servers = createServers();
  const context = contextOf(config, servers, actLog(logger, metrics));
  let ready = true;
  const app = createApp({
    routes: hookRoutes(context),
    metrics,
    logger,
    deadline: config.deadlineMs,
    ready: () => ready,
  });
  const url = await app.listen({ host: config.host, port: config.port });
  logger.info({ url, installation: config.installation }, 'listening');
  return {
    url,
    drain: async (cutShort) => {
      ready = false;
      if (config.drainMs === 0 || cutShort.aborted) return;
      await sleep(config.drainMs, undefined, { signal: cutShort }).catch(() => undefined);
    },
    close: async () => {
      await app.close();
      await servers.close();
    },
  };
}

function contextOf(config: Config, servers: Servers, log: ActLog): Context {
  const now = () => Date.now();
  return {
    kubernetes: createKubernetesReader({ ...config.kubernetes, operatorNamespace: config.operatorNamespace }),
    servers,
    credentials: createCredentialStore({
      ...config.openbao,
      token: createTokenFile(config.openbao.tokenFile),
      timeoutMs: openBaoTimeoutMs,
    }),
    sessions: new SessionMemory({
      minSeconds: config.checkIntervalSeconds.min,
      maxSeconds: config.checkIntervalSeconds.max,
      now,
      random: Math.random,
    }),
    settings: {
      installation: config.installation,
      store: config.secretStore,
      defaultCa: config.postgresCa,
      resyncSeconds: config.resyncSeconds,
    },
    clock: { now },
    log,
  };
}
