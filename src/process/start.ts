import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

import { actLog } from '../log/act-log.ts';
import type { Config } from '../config/config.ts';
import { hookRoutes } from '../http/routes.ts';
import { createKubernetesReader } from '../kubernetes/reader.ts';
import { listen } from './listening.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { observed } from './observed.ts';
import { createCredentialStore } from '../openbao/credentials.ts';
import { gatedCredentials } from '../openbao/gated-credentials.ts';
import { tokenSourceOf } from '../openbao/token-source-of.ts';
import type { TokenSource } from '../openbao/token-source.ts';
import { createServers } from '../postgres/servers.ts';
import type { Context } from '../reconcile/context.ts';
import type { Servers } from '../reconcile/ports.ts';
import { SessionMemory } from '../reconcile/session-memory.ts';
import { logStart } from '../log/start-log.ts';
import { readVersion } from './version.ts';

export interface Operator {
  /** Readiness goes down, and everybody gets `drainMs` to see it; requests are still answered. */
  drain(): Promise<void>;
  /** Requests under way are answered, connections are closed. Bounded by the request deadline. */
  close(): Promise<void>;
}

/** OpenBao is asked for a moment only: a call and its repetition must fit into a hook call with room to spare. */
const openBaoTimeoutMs = 4_000;

/** Puts the parts together and listens. Throws when the address cannot be had. */
export async function startProcess(config: Config, logger: Logger): Promise<Operator> {
  const version = readVersion();
  logStart(logger, config, version);
  const metrics = createMetrics({ version });
  const servers = createServers({ onConnect: metrics.postgresConnected });
  metrics.watchServers(() => servers.usage());
  const token = openBaoToken(config, metrics);
  const parts = partsOf(config, { servers, token }, metrics, logger);
  let ready = true;
  const { url, metricsUrl, ...listening } = await listen(config, {
    routes: hookRoutes((requestId) => ({ ...parts, log: actLog(logger, metrics, requestId) })),
    metrics,
    logger,
    ready: () => ready,
  });
  logger.info({ url, metricsUrl, installation: config.installation }, 'listening');
  return {
    drain: async () => {
      ready = false;
      await sleep(config.drainMs);
    },
    close: async () => {
      await listening.closeHook();
      await servers.close();
      await token.close();
      await listening.closeProbes();
    },
  };
}

function partsOf(
  config: Config,
  { servers, token }: { readonly servers: Servers; readonly token: TokenSource },
  metrics: Metrics,
  logger: Logger,
): Omit<Context, 'log'> {
  const now = () => Date.now();
  const ports = {
    kubernetes: createKubernetesReader({ ...config.kubernetes, operatorNamespace: config.operatorNamespace }),
    servers,
    credentials: gatedCredentials(
      createCredentialStore({
        ...config.openbao,
        token,
        timeoutMs: openBaoTimeoutMs,
      }),
      () => performance.now(),
    ),
  };
  return {
    ...observed(ports, metrics, logger),
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
  };
}

function openBaoToken({ openbao }: Config, metrics: Metrics): TokenSource {
  return tokenSourceOf(openbao.auth, {
    address: openbao.address,
    caFile: openbao.caFile,
    namespace: openbao.namespace,
    timeoutMs: openBaoTimeoutMs,
    onLogin: ({ outcome, lifetimeMs }) =>
      metrics.openBaoLoggedIn({
        outcome,
        expiresAt: lifetimeMs === undefined ? undefined : Date.now() + lifetimeMs,
      }),
  });
}
