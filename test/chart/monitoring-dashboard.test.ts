import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { createMetrics } from '../../src/metrics/metrics.ts';
import { promqlFaults, resultLabels } from './promql-faults.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly Panel[];
}

const file = '../../charts/postgresql-tenant-operator/files/monitoring/dashboard.json';
const text = await readFile(new URL(file, import.meta.url), 'utf8');
const dashboard = JSON.parse(text) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const targets = panels.flatMap((panel) => panel.targets ?? []);

test('every panel has a number of its own, a description, a query, and the data source that is chosen', () => {
  const numbers = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(dashboard.schemaVersion >= 39);
  assert.ok(
    dashboard.templating.list.some(({ name, type }) => name === 'datasource' && type === 'datasource'),
  );
  for (const { title, description = '', datasource, targets: queries = [] } of panels) {
    assert.match(description, /^.{20,}[.]$/, title);
    assert.equal(datasource?.uid, '${datasource}', title);
    assert.ok(queries.length > 0, title);
  }
});

test('no panel covers another one or leaves the grid', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.equal(taken.get(`${x},${y}`), undefined, title);
        taken.set(`${x},${y}`, title);
      }
    }
  }
});

/** As Grafana does it before it asks Prometheus. */
const filledIn = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

test('every query asks for what there is, in right PromQL, and its legend names labels that it has', () => {
  assert.ok(targets.length > 30);
  for (const { expr, legendFormat } of targets) {
    const query = filledIn(expr);
    assert.deepEqual(promqlFaults(query), [], expr);
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
      assert.ok(resultLabels(query).has(label), `${label}: ${expr}`);
  }
});

test('only variables are used that the dashboard has', () => {
  const names = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval', '__all']);
  const used = Array.from(text.matchAll(/\$\{?(\w+)\}?/g), ([, name = '']) => name);
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  );
});

test('every metric of the operator is shown somewhere', async () => {
  const metrics = createMetrics();
  metrics.watchServers(() => []);
  const names = Array.from(
    (await metrics.render()).matchAll(/^# TYPE (pgtenancy_\S+)/gm),
    ([, name = '']) => name,
  );
  assert.ok(names.length > 15);
  assert.deepEqual(
    names.filter((name) => !targets.some(({ expr }) => expr.includes(name))),
    [],
  );
});
