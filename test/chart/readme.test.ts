import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { chartReadme } from '../../src/generate/chart-readme.ts';
import { chartValues } from '../../src/generate/chart-values.ts';
import { helm, chartFolder, release } from './chart.ts';

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

const values = chartValues(await read('charts/postgresql-tenant-operator/values.yaml'));

test('each value has a key, a type, a default and a meaning, wherever its comment stands', () => {
  const text = `
# -- How many.
replicas: 2
image:
  # -- (string) Where it is, in a comment
  # of two lines.
  repository: null
  # -- Tag.
  tag: ''
# -- One value, because the map has a comment.
resources:
  limits: { memory: 1Mi }
deep:
  er:
    # -- Names.
    names: []
    # -- Whether.
    on: true
`;
  assert.deepEqual(chartValues(text), [
    { key: 'replicas', type: 'int', value: 2, meaning: 'How many.' },
    {
      key: 'image.repository',
      type: 'string',
      value: null,
      meaning: 'Where it is, in a comment of two lines.',
    },
    { key: 'image.tag', type: 'string', value: '', meaning: 'Tag.' },
    {
      key: 'resources',
      type: 'object',
      value: { limits: { memory: '1Mi' } },
      meaning: 'One value, because the map has a comment.',
    },
    { key: 'deep.er.names', type: 'list', value: [], meaning: 'Names.' },
    { key: 'deep.er.on', type: 'bool', value: true, meaning: 'Whether.' },
  ]);
});

test('a value without a description, or without a type where none can be seen, is told by its key', () => {
  assert.throws(() => chartValues('image:\n  # not for the table\n  tag: a\n'), /image\.tag/);
  assert.throws(() => chartValues('a:\n  # -- Meaning.\n  b: {}\n  c: {}\n'), /a\.c/);
  assert.throws(() => chartValues('# -- Meaning.\nb:\n'), /comment of b .* type/);
});

test('what is written by hand in the README survives, and a README without a place is told', () => {
  const sources = {
    chart: 'version: 1.2.3\nappVersion: 1.2.4\nkubeVersion: ">=1"\n',
    values: '# -- A.\na: 1\n',
  };
  const page =
    'by hand\n\n<!-- generated: versions -->\n<!-- end: versions -->\n\nmore\n\n<!-- generated: values -->\n<!-- end: values -->\n';
  const made = chartReadme(page, sources);
  assert.match(made, /^by hand\n\n[^]*1\.2\.3[^]*1\.2\.4[^]*\n\nmore\n\n[^]*`a` \| int \| `1` \| A\./);
  assert.equal(chartReadme(made, sources), made);
  assert.throws(() => chartReadme('by hand', sources), /no place for "versions"/);
});

test('the values that the README shows are enough for a release, and are values of the chart', async () => {
  const shown = Array.from(
    (await read('charts/postgresql-tenant-operator/README.md')).matchAll(/^```yaml\n([^]*?)^```/gm),
    ([, text = '']) => text,
  );
  assert.equal(shown.length, 2);
  const folder = await mkdtemp(join(tmpdir(), 'chart-readme-'));
  try {
    const files = shown.map((_, index) => join(folder, `${index}.yaml`));
    await Promise.all(files.map((file, index) => writeFile(file, shown[index] ?? '')));
    const given = files.flatMap((file) => ['--values', file]);
    const out = await helm('template', release.name, chartFolder, '--namespace', release.namespace, ...given);
    for (const kind of ['Deployment', 'ServiceMonitor', 'PrometheusRule'])
      assert.match(out, new RegExp(`^kind: ${kind}$`, 'm'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

const keys = values.map(({ key }) => key);
const roots = new Set(keys.map((key) => key.split('.')[0]));
const isValue = (path: string): boolean => keys.some((key) => key === path || key.startsWith(`${path}.`));

for (const page of ['charts/postgresql-tenant-operator/README.md', 'docs/operations.md']) {
  test(`every value of the chart that ${page} names is there`, async () => {
    const named = Array.from(
      (await read(page)).matchAll(/`([a-z]\w*(?:\.\w+)+)(?:: \S+)?`/g),
      ([, path = '']) => path,
    );
    const ofChart = named.filter((path) => roots.has(path.split('.')[0]));
    assert.ok(ofChart.length > 3);
    assert.deepEqual(
      ofChart.filter((path) => !isValue(path)),
      [],
    );
  });
}
