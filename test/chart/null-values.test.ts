import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { z } from 'zod';

import { chartValues } from '../../src/generate/chart-values.ts';
import { chartFolder, complaintOf, helm, release, valuesOf } from './chart.ts';

/* Null takes a default away: it means what an empty value means, or is refused with the name of the value. */

const values = chartValues(await readFile(`${chartFolder}/values.yaml`, 'utf8'));

/** The parts of the values that have parts. */
const maps = new Set(
  values.flatMap(({ key }) => {
    const above = key.split('.').slice(0, -1);
    return above.map((_, index) => above.slice(0, index + 1).join('.'));
  }),
);

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'null-values-'));
});
after(() => rm(folder, { recursive: true }));

type Tree = Readonly<Record<string, unknown>>;

function put(tree: Tree, path: string, value: unknown): Tree {
  const [first = '', ...rest] = path.split('.');
  const below = rest.length === 0 ? value : put((tree[first] ?? {}) as Tree, rest.join('.'), value);
  return { ...tree, [first]: below };
}

const caBundle = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';

/** ci/full, with everything on that looks at values and nothing that is random. */
const everything = [
  ['hook.tls.source', 'certManager'],
  ['hook.tls.caBundle', caBundle],
  ...['serviceMonitor', 'prometheusRule', 'dashboard'].map((part) => [`metrics.${part}.enabled`, true]),
].reduce((tree, [path, value]) => put(tree, String(path), value), (await valuesOf('full')) as Tree);

/** What is rendered, or what is complained of. */
async function outcome(key: string, value: unknown): Promise<string> {
  const file = join(folder, `${key}-${JSON.stringify(value).length}.json`);
  await writeFile(file, JSON.stringify(put(everything, key, value)));
  const args = ['--values', file];
  try {
    return await helm('template', release.name, chartFolder, '--namespace', release.namespace, ...args);
  } catch (error) {
    return complaintOf(error);
  }
}

function refusal(key: string): string {
  const path = key.split('.');
  const above = path.slice(0, -1).map((part) => `/${part}`);
  return `at '${above.join('')}': missing property '${path.at(-1) ?? ''}'`;
}

const emptyOf = new Map<string, unknown>([
  ['string', ''],
  ['list', []],
  ['object', {}],
  ['int or string', ''],
]);

/** Nothing can be said that is emptier than these: an empty map leaves the defaults in it as they are. */
const hasDefaults = (value: unknown): boolean =>
  z.record(z.string(), z.unknown()).safeParse(value).success && Object.keys(value as object).length > 0;

for (const { key, type, value } of values)
  test(`${key}: null is as good as nothing, or refused by name`, async () => {
    const said = await outcome(key, null);
    if (said.includes(refusal(key))) return;
    assert.ok(
      emptyOf.has(type),
      `a value of type ${type} has no empty one, and null was not refused: ${said}`,
    );
    assert.doesNotMatch(said, /Error: (?!execution error)|nil pointer|error calling (?!fail)/);
    if (!hasDefaults(value)) assert.equal(said, await outcome(key, emptyOf.get(type)));
  });

for (const key of maps)
  test(`${key}: a part of the values that is null is refused by name`, async () => {
    const said = await outcome(key, null);
    assert.ok(said.includes(refusal(key)), said);
  });
