import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { alertsOf } from '../../src/generate/alerts.ts';
import { knownMetrics, targetLabels } from './known-metrics.ts';
import { promqlFaults, resultLabels } from './promql-faults.ts';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

const monitoring = 'charts/postgresql-tenant-operator/files/monitoring';
const alerts = alertsOf(await read(`${monitoring}/alerts.yaml`));
const page = await read('docs/operations.md');

test('no metric of the operator has a label that Prometheus gives to all that it reads', async () => {
  for (const [metric, labels] of await knownMetrics()) {
    const taken = metric.startsWith('pgtenancy_') ? targetLabels.filter((label) => labels.has(label)) : [];
    assert.deepEqual(taken, [], `Prometheus would rename a label of ${metric}`);
  }
});

test('queries that would never say anything are found', () => {
  const queries: [query: string, fault: RegExp][] = [
    ['sum(rate(pgtenancy_acts_total[5m])', /does not belong/],
    ['increase(pgtenancy_acts_totals[5m]) > 0', /no metric pgtenancy_acts_totals/],
    ['pgtenancy_acts_total > 0', /take its rate/],
    ['rate(pgtenancy_postgres_silent[5m])', /no counter/],
    ['pgtenancy_postgres_silent{server="a"}', /no label server/],
    ['rate(pgtenancy_hook_refusals_total{cause=~"bug|bugs"}[5m])', /never bugs/],
    ['rate(pgtenancy_acts_total{outcome!~"ok|Bussy"}[5m])', /never Bussy/],
    ['sum by (step, kind) (rate(pgtenancy_acts_total[5m]))', /nothing has the label kind/],
    ['histogram_quantile(0.9, sum by (step) (rate(pgtenancy_act_duration_seconds_bucket[5m])))', /label le/],
    ['pgtenancy_tenant_condition{kind="Ready"}', /no label kind/],
  ];
  for (const [query, fault] of queries) assert.match(promqlFaults(query).join('; '), fault, query);
  assert.deepEqual(promqlFaults('sum by (step) (rate(pgtenancy_acts_total{outcome!="ok"}[5m])) > 0'), []);
});

const exprOf = (name: string): string =>
  alerts.find(({ alert }) => alert === name)?.expr ?? assert.fail(name);

test('what adds up under the label `other` is never asked for as exactly 1', () => {
  for (const { alert, expr } of alerts) assert.doesNotMatch(expr, /pgtenancy_postgres_.*== 1/, alert);
});

test('no certificate is warned about before cert-manager should have renewed it, in any values of the chart', async () => {
  const [, days = ''] = /time\(\) \+ (\d+) \* 86400/.exec(exprOf('PgtenancyHookCertificateExpiring')) ?? [];
  const chart = 'charts/postgresql-tenant-operator';
  const ci = (await readdir(new URL(`../../${chart}/ci`, import.meta.url))).map((name) => `ci/${name}`);
  const texts = await Promise.all(['values.yaml', ...ci].map((name) => read(`${chart}/${name}`)));
  const hours = texts.flatMap((text) =>
    Array.from(text.matchAll(/renewBefore: (\d+)h/g), ([, one]) => Number(one)),
  );
  assert.ok(hours.length >= 2);
  for (const renewedBefore of hours) assert.ok(Number(days) * 24 < renewedBefore, `${days} days`);
});

test('a Deployment is known by the names of its Pods', () => {
  const [, pattern = ''] = /"pod", "(.*)"/.exec(exprOf('PgtenancyReplicaUnavailable')) ?? [];
  assert.equal(
    'main-postgresql-tenant-operator-6d4cf56db6-x7k2p'.replace(new RegExp(`^${pattern}$`), '$1'),
    'main-postgresql-tenant-operator',
  );
});

for (const { alert, expr, annotations } of alerts) {
  test(`${alert} asks for what there is, in right PromQL`, () => {
    assert.deepEqual(promqlFaults(expr), []);
  });

  test(`${alert} names only labels that it has, and functions of Prometheus`, () => {
    const labels = resultLabels(expr);
    for (const text of [annotations.summary, annotations.description]) {
      for (const [, inside = ''] of text.matchAll(/\{\{(.*?)\}\}/g)) {
        const label = /^ \$labels\.(\w+) $/.exec(inside)?.[1];
        if (label !== undefined) assert.ok(labels.has(label), `${label} is lost on the way`);
        else assert.match(inside, /^ \$value \| humanize(?:Percentage|Duration|Timestamp)? $/);
      }
      assert.equal(text.split('{{').length, text.split('}}').length);
    }
  });

  test(`${alert} has one section in docs/operations.md, which says what to do`, () => {
    const sections = page.split(`\n#### ${alert}\n`);
    assert.equal(sections.length, 2);
    const advice = sections[1]?.split(/^#{1,4} /m)[0] ?? '';
    assert.ok(advice.trim().length > 150, advice);
  });
}

test('no two alerts have the same name, and no section is for another one', () => {
  const names = alerts.map(({ alert }) => alert);
  assert.equal(new Set(names).size, names.length);
  const sections = Array.from(page.matchAll(/^#### (Pgtenancy\w+)$/gm), ([, name]) => name);
  assert.deepEqual(sections, names);
});
