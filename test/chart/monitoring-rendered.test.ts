import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { alertsOf } from '../../src/generate/alerts.ts';
import { chartFolder, only, release, render, withValues, type Rendered } from './chart.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface WithSpec {
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly ports?: readonly { readonly name: string }[];
    readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints?: readonly object[];
    readonly groups?: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
  };
}

/** `set`: values, as `--set` takes them. */
const rendered = async (...set: readonly string[]): Promise<readonly (Rendered & WithSpec)[]> =>
  render(withValues('minimal', ...set.flatMap((one) => ['--set', one])));

const rulesIn = (objects: readonly Rendered[]): Rule[] =>
  ((only(objects, 'PrometheusRule') as WithSpec).spec?.groups ?? []).flatMap(({ rules }) => rules);

const read = (path: string): Promise<string> => readFile(`${chartFolder}/${path}`, 'utf8');
const alerts = alertsOf(await read('files/monitoring/alerts.yaml'));

test('nothing of the Prometheus operator is made unless it is asked for', async () => {
  const kinds = (await rendered()).map(({ kind }) => kind);
  assert.ok(kinds.includes('Deployment'));
  assert.ok(!kinds.includes('ServiceMonitor') && !kinds.includes('PrometheusRule'));
});

test('the ServiceMonitor finds the Service and its port', async () => {
  const objects = await rendered(
    'metrics.serviceMonitor.enabled=true',
    'metrics.serviceMonitor.interval=30s',
    'metrics.serviceMonitor.labels.release=prometheus',
  );
  const monitor = only(objects, 'ServiceMonitor') as Rendered & WithSpec;
  const service = only(objects, 'Service') as Rendered & WithSpec;
  assert.deepEqual(monitor.spec?.endpoints, [{ port: 'metrics', interval: '30s' }]);
  assert.ok(service.spec?.ports?.some(({ name }) => name === 'metrics'));
  const wanted = Object.entries(monitor.spec.selector?.matchLabels ?? {});
  assert.ok(wanted.length > 0);
  for (const [label, value] of wanted) assert.equal(service.metadata.labels[label], value);
  assert.equal(monitor.metadata.labels['release'], 'prometheus');
});

test('the alerts are those of the file, without those that need kube-state-metrics unless they are asked for', async () => {
  const names = async (...set: string[]): Promise<string[]> =>
    rulesIn(await rendered('metrics.prometheusRule.enabled=true', ...set)).map(({ alert }) => alert);
  const all = alerts.map(({ alert }) => alert);
  assert.deepEqual(
    await names(),
    alerts.filter(({ expr }) => !/kube_|pgtenancy_(?:tenant|instance)_/.test(expr)).map(({ alert }) => alert),
  );
  assert.deepEqual(await names('metrics.prometheusRule.conditionAlerts=true'), all);
  assert.deepEqual(
    await names(
      'metrics.prometheusRule.conditionAlerts=true',
      'metrics.prometheusRule.disabledAlerts={PgtenancyHookBug,PgtenancyTenantStalled}',
    ),
    all.filter((name) => name !== 'PgtenancyHookBug' && name !== 'PgtenancyTenantStalled'),
  );
});

test('an alert that is to be left out and does not exist is told', async () => {
  await assert.rejects(
    rendered(
      'metrics.prometheusRule.enabled=true',
      'metrics.prometheusRule.disabledAlerts={PgtenancyHokBug}',
    ),
    /there is no alert PgtenancyHokBug/,
  );
});

test('each alert keeps its text, gets the labels of the values, and links to its section', async () => {
  const base = 'https://git.example.com/docs/operations.md';
  const rules = rulesIn(
    await rendered(
      'metrics.prometheusRule.enabled=true',
      'metrics.prometheusRule.conditionAlerts=true',
      'metrics.prometheusRule.alertLabels.team=platform',
      `metrics.prometheusRule.runbookBaseUrl=${base}`,
    ),
  );
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const anchors = new Set(
    Array.from(page.matchAll(/^#### (\w+)$/gm), ([, title = '']) => title.toLowerCase()),
  );
  assert.equal(rules.length, alerts.length);
  for (const [index, { alert, expr, labels, annotations }] of alerts.entries()) {
    const rule = rules[index] ?? assert.fail();
    const { runbook_url: link = '', ...texts } = rule.annotations;
    assert.deepEqual([rule.alert, rule.expr, texts], [alert, expr, annotations]);
    assert.deepEqual(rule.labels, { ...labels, team: 'platform' });
    assert.equal(link.split('#')[0], base);
    assert.ok(anchors.has(link.split('#')[1] ?? ''), link);
  }
});

test('the ConfigMap holds the dashboard as it is, under the label that the sidecar looks for', async () => {
  const objects = await rendered('metrics.dashboard.enabled=true');
  const map = only(objects, 'ConfigMap', `${release.fullname}-dashboard`) as Rendered & WithSpec;
  assert.equal(map.metadata.labels['grafana_dashboard'], '1');
  assert.equal(map.data?.['postgresql-tenant-operator.json'], await read('files/monitoring/dashboard.json'));
});
