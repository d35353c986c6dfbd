import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

import type { Act } from '../reconcile/context.ts';
import type { ServerUsage } from '../reconcile/ports.ts';
import { actMetrics } from './act-metrics.ts';
import { callMetrics } from './call-metrics.ts';
import type { Call } from './call.ts';
import { hookMetrics, type HookMetrics } from './hook-metrics.ts';
import { outcomeLabel, type Outcome } from './labels.ts';
import { openBaoOperations, type OpenBaoOperation } from './measured-credentials.ts';
import { kubernetesKinds, type KubernetesKind } from './measured-kubernetes.ts';
import { postgresOperations, type PostgresOperation } from './measured-servers.ts';
import { openBaoTokenMetrics, type OpenBaoLogin } from './openbao-token-metrics.ts';
import { serverGauges } from './server-gauges.ts';

/** What `/metrics` shows, and who tells it. */
export interface Metrics extends HookMetrics {
  readonly contentType: string;
  /** The text of `/metrics`. */
  readonly render: () => Promise<string>;
  readonly acted: (act: Pick<Act, 'step' | 'outcome' | 'milliseconds'>) => void;
  readonly postgresCalled: (call: Call<PostgresOperation>) => void;
  /** A management session was opened, or could not be. */
  readonly postgresConnected: (outcome: Outcome) => void;
  readonly openBaoCalled: (call: Call<OpenBaoOperation>) => void;
  readonly openBaoLoggedIn: (login: OpenBaoLogin) => void;
  readonly kubernetesRead: (call: Call<KubernetesKind>) => void;
  /** Where the gauges of the servers are read from. */
  readonly watchServers: (usage: () => Iterable<ServerUsage>) => void;
}

/**
 * The metrics of one process. Labels are bounded: each of their values comes from a closed list, but for the names of
 * live PostgreSQLInstances, of which a hundred are shown. Names of other objects never appear.
 */
export function createMetrics(build: { readonly version: string } = { version: 'unknown' }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  showBuild(registry, build.version);
  return {
    contentType: registry.contentType,
    render: () => registry.metrics(),
    ...hookMetrics(registry),
    acted: actMetrics(registry),
    postgresCalled: callMetrics(registry, {
      counter: 'postgres_calls',
      histogram: 'postgres_call',
      label: 'operation',
      operations: postgresOperations,
      help: 'Calls of PostgreSQL',
    }),
    postgresConnected: connectMetrics(registry),
    openBaoCalled: callMetrics(registry, {
      counter: 'openbao_calls',
      histogram: 'openbao_call',
      label: 'operation',
      operations: openBaoOperations,
      help: 'Calls of OpenBao',
    }),
    openBaoLoggedIn: openBaoTokenMetrics(registry),
    kubernetesRead: callMetrics(registry, {
      counter: 'kubernetes_reads',
      histogram: 'kubernetes_read',
      label: 'kind',
      operations: kubernetesKinds,
      help: 'Reads of Kubernetes objects, remembered answers included',
    }),
    watchServers: (usage) => serverGauges(registry, usage),
  };
}

function connectMetrics(registry: Registry): (outcome: Outcome) => void {
  const connects = new Counter({
    name: 'pgtenancy_postgres_connects_total',
    help: 'Management sessions that were opened, or could not be, by outcome (ok, or the reason of the trouble).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => connects.inc({ outcome: outcomeLabel(outcome) });
}

function showBuild(registry: Registry, version: string): void {
  const info = new Gauge({
    name: 'pgtenancy_build_info',
    help: 'Always 1; says which version of the operator runs on which version of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  info.set({ version, node: process.version }, 1);
}
