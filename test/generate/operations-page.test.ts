import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { logLineKinds } from '../log/log-lines.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';

const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');

const rows = page.split('\n').filter((line) => line.startsWith('|'));

async function metricNames(): Promise<string[]> {
  const metrics = createMetrics();
  metrics.watchServers(() => []);
  return [...(await metrics.render()).matchAll(/^# TYPE (pgtenancy_\S+)/gm)].map(([, name = '']) => name);
}

for (const { phrase, levels } of logLineKinds) {
  test(`docs/operations.md has a row for the line "${phrase}", with its level`, () => {
    const row = rows.find((one) => (one.split('|')[1] ?? '').includes(`\`${phrase}\``));
    assert.ok(row !== undefined, 'no row');
    for (const level of levels)
      assert.ok(row.split('|')[2]?.includes(level), `${level} is missing in: ${row}`);
  });
}

test('docs/operations.md explains no line that the operator does not write', () => {
  const [, chapter = ''] = page.split('\n## The log\n');
  const cells = Array.from(
    (chapter.split('\n## ')[0] ?? '').matchAll(/^\| (`[^|]*`) /gm),
    ([, cell = '']) => cell,
  );
  const [, ...phrases] = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`([^`]+)`/g), ([, phrase]) => phrase),
  );
  const known = new Set(logLineKinds.map(({ phrase }) => phrase));
  assert.ok(phrases.length > 0);
  assert.deepEqual(
    phrases.filter((phrase = '') => !known.has(phrase)),
    [],
  );
});

test('docs/operations.md has a row for every metric', async () => {
  const named = (name: string) => rows.some((row) => (row.split('|')[1] ?? '').trim() === `\`${name}\``);
  assert.deepEqual(
    (await metricNames()).filter((name) => !named(name)),
    [],
  );
});

test('docs/operations.md names no metric of the operator that does not exist', async () => {
  const known = new Set(await metricNames());
  // Those below `pgtenancy_tenant_` and `pgtenancy_instance_` come from kube-state-metrics.
  const mentioned = page.match(/\bpgtenancy_(?!tenant_|instance_)[a-z]+(?:_[a-z]+)+\b/g) ?? [];
  const series = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
  assert.deepEqual(
    [...new Set(mentioned)].filter((name) => !known.has(name) && !known.has(series(name))),
    [],
  );
});
