import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import { reasons } from '../../src/domain/reasons.ts';
import { stepKinds } from '../../src/metrics/labels.ts';
import { openBaoOperations } from '../../src/metrics/measured-credentials.ts';
import { kubernetesKinds } from '../../src/metrics/measured-kubernetes.ts';
import { postgresOperations } from '../../src/metrics/measured-servers.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { seriesOf } from '../metrics/series.ts';

/** Values of each label by its name; undefined: any value. */
type Labels = Map<string, Set<string> | undefined>;

/** What Prometheus adds to everything that it reads from a Pod through a ServiceMonitor. */
export const targetLabels = ['namespace', 'job', 'pod', 'instance', 'service', 'endpoint', 'container'];

/** Everything that a query may ask for, with its labels: of the operator, of Prometheus, of kube-state-metrics. */
export async function knownMetrics(): Promise<Map<string, Labels>> {
  return new Map([
    ...ownMetrics(await everySeries()),
    ['up', new Map()],
    ['kube_deployment_status_replicas_unavailable', new Map([['deployment', undefined]])],
    ...(await conditionMetrics()),
  ]);
}

/** The text of `/metrics` once everything has happened. */
function everySeries(): Promise<string> {
  const metrics = createMetrics({ version: '0.0.0' });
  for (const outcome of ['ok', 'Bug', ...Object.keys(reasons)] as never[]) {
    const call = { outcome, seconds: 1, message: '' };
    for (const step of stepKinds) metrics.acted({ step, outcome, milliseconds: 1 });
    for (const operation of postgresOperations) metrics.postgresCalled({ ...call, operation });
    for (const operation of openBaoOperations) metrics.openBaoCalled({ ...call, operation });
    for (const operation of kubernetesKinds) metrics.kubernetesRead({ ...call, operation });
    metrics.postgresConnected(outcome);
    metrics.openBaoLoggedIn({ outcome });
  }
  metrics.requestDone('/tenants/sync', 200, 1);
  metrics.watchServers(() => [usage]);
  return metrics.render();
}

const usage = {
  instance: 'main',
  inUse: 0,
  idle: 0,
  waiting: 0,
  connectFailed: false,
  longStatements: 0,
  calls: 0,
  silent: false,
};

function ownMetrics(text: string): Map<string, Labels> {
  const found = new Map<string, Labels>();
  for (const series of seriesOf(text).keys()) {
    const [name = ''] = series.split('{');
    const labels = found.get(name) ?? new Map<string, Set<string>>();
    for (const [, label = '', value = ''] of series.matchAll(/(\w+)="([^"]*)"/g))
      labels.set(label, (labels.get(label) ?? new Set()).add(value));
    found.set(name, labels);
  }
  return found;
}

interface StateMetrics {
  readonly spec: {
    readonly resources: readonly {
      readonly metricNamePrefix: string;
      readonly labelsFromPath: object;
      readonly metrics: readonly {
        readonly name: string;
        readonly each: { readonly gauge: { readonly labelsFromPath?: object } };
      }[];
    }[];
  };
}

/** By the configuration of kube-state-metrics in docs/operations.md. */
async function conditionMetrics(): Promise<[string, Labels][]> {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [block = ''] = /kind: CustomResourceStateMetrics\n[^`]*/.exec(page) ?? [];
  const { resources } = (parse(block) as StateMetrics).spec;
  return resources.flatMap(({ metricNamePrefix, labelsFromPath, metrics }) =>
    metrics.map(({ name, each }): [string, Labels] => [
      `${metricNamePrefix}_${name}`,
      new Map(
        Object.keys({ ...labelsFromPath, ...each.gauge.labelsFromPath }).map((label) => [label, undefined]),
      ),
    ]),
  );
}
