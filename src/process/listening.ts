import type { AddressInfo } from 'node:net';

import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

import type { Config } from '../config/config.ts';
import { hookCredentials } from '../hook-credentials/hook-credentials.ts';
import { createApp } from '../http/app.ts';
import { createProbes } from '../http/probes.ts';
import type { Routes } from '../http/routes.ts';
import { replaceCertificate } from '../http/server.ts';
import type { Metrics } from '../metrics/metrics.ts';

interface Parts {
  readonly routes: Routes;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly ready: () => boolean;
}

/** The two servers of the process. */
export interface Listening {
  /** Of the hook, e.g. `https://127.0.0.1:8080`. */
  readonly url: string;
  /** Of `/healthz`, `/readyz` and `/metrics`. */
  readonly metricsUrl: string;
  /** Requests under way are answered, connections are closed. Bounded by the request deadline. */
  closeHook(): Promise<void>;
  /** Last of all: until then it tells that the process lives, and that it takes no more requests. */
  closeProbes(): Promise<void>;
}

/** Throws when an address cannot be had, or a file that was named cannot be used. */
export async function listen(config: Config, parts: Parts): Promise<Listening> {
  const credentials = await hookCredentials(config.hook, parts.logger);
  const { certificate, gate } = credentials;
  const app = createApp({ ...parts, deadline: config.deadlineMs, gate, certificate });
  const probes = createProbes(parts);
  const metricsUrl = await originOf(probes, 'http', config.metrics);
  const url = await originOf(app, certificate === undefined ? 'http' : 'https', config.hook);
  if (certificate !== undefined) parts.metrics.certificateShown(certificate.expiresAt);
  credentials.follow((replacement) => {
    replaceCertificate(app.server, replacement);
    parts.metrics.certificateShown(replacement.expiresAt);
  });
  return {
    url,
    metricsUrl,
    closeHook: async () => {
      credentials.stop();
      await app.close();
    },
    closeProbes: async () => {
      await probes.close();
    },
  };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens. Fastify's own answer leaves out that a server of ours speaks TLS. */
async function originOf(app: FastifyInstance, scheme: string, { host, port }: Place): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${portOf(address)}`;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
