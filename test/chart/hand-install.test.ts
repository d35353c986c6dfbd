import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { z } from 'zod';

import { issueFiles } from '../config/issued-files.ts';
import { programPath } from '../programs/programs.ts';
import { objectsIn, render, type Rendered, valuesOf, withValues } from './chart.ts';
import { podConfig } from './pod-config.ts';
import { podOf } from './pod.ts';

/* Those who have no Helm get the same objects: examples/install/ and metacontroller/ against the chart. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const name = 'postgresql-tenant-operator';

before(() => issueFiles());

const caBundle = async () =>
  z
    .object({ hook: z.object({ tls: z.object({ caBundle: z.string() }) }) })
    .parse(await valuesOf('hand-install')).hook.tls.caBundle;

/** `kubectl kustomize metacontroller/`, with the CA beside it as its README says; `edit` changes the kustomization first. */
async function kustomized(edit = (text: string) => text): Promise<readonly Rendered[]> {
  const folder = await mkdtemp(join(tmpdir(), 'metacontroller-'));
  try {
    await cp(join(root, 'metacontroller'), folder, { recursive: true });
    await writeFile(join(folder, 'ca.crt'), await caBundle());
    const file = join(folder, 'kustomization.yaml');
    await writeFile(file, edit(await readFile(file, 'utf8')));
    const { stdout } = await promisify(execFile)(await programPath('kubectl'), ['kustomize', folder], {
      env: { KUBECONFIG: '/dev/null' },
      timeout: 30_000,
    });
    return objectsIn(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installed(): Promise<readonly Rendered[]> {
  const manifests = ['rbac', 'operator', 'network-policy'].map((file) =>
    readFile(join(root, `examples/install/${file}.yaml`), 'utf8'),
  );
  return (await Promise.all(manifests)).flatMap(objectsIn);
}

const fromCrds = async () =>
  (
    await Promise.all(
      ['instances', 'tenants'].map((kind) => readFile(join(root, `crds/postgresql${kind}.yaml`), 'utf8')),
    )
  ).flatMap(objectsIn);

const fromChart = (...more: readonly string[]) =>
  render(withValues('hand-install', ...more), { name, namespace: name, fullname: name });

/** Labels of the object itself: Helm's own, and those that say what it belongs to. Selectors keep theirs. */
const onlyOnHelms = /^(app\.kubernetes\.io|helm\.sh)\//;

const without = (entries: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !onlyOnHelms.test(key)));

/** The variables are compared by what the operator reads from them: the chart also writes out defaults. */
function comparable(object: Rendered): Rendered {
  const { metadata } = object;
  const { labels, annotations } = metadata;
  const plain: Rendered = {
    ...structuredClone(object),
    metadata: { ...metadata, labels: without(labels), annotations: without(annotations) },
  };
  if (plain.kind !== 'Deployment') return plain;
  const spec = plain['spec'] as { template: { spec: { containers: { env: unknown }[] } } };
  for (const container of spec.template.spec.containers) container.env = podConfig(podOf(object), name);
  return plain;
}

const byKey = (objects: readonly Rendered[]) =>
  new Map(
    objects
      .map(comparable)
      .map((object): [string, Rendered] => [`${object.kind} ${object.metadata.name}`, object])
      .sort(([a], [b]) => a.localeCompare(b)),
  );

test('a hand install is what the chart installs, object by object', async () => {
  const byHand = [...(await fromCrds()), ...(await installed()), ...(await kustomized())];
  // The chart leaves the namespace to whoever installs it.
  const wanted = byKey(byHand.filter(({ kind }) => kind !== 'Namespace'));
  const chart = byKey(await fromChart());
  assert.deepEqual([...chart.keys()], [...wanted.keys()]);
  for (const [key, object] of wanted) assert.deepEqual(chart.get(key), object, key);
});

test('with a bearer token too, Metacontroller gets the same controllers and rights', async () => {
  const byHand = byKey(
    await kustomized((text) => text.replace('# components:\n#   - token', 'components:\n  - token')),
  );
  const chart = byKey(
    await fromChart('--set', 'hook.token.enabled=true,hook.token.secretName=metacontroller-hook-token'),
  );
  assert.equal(byHand.size, 3);
  for (const [key, object] of byHand) assert.deepEqual(chart.get(key), object, key);
  assert.notDeepEqual(byHand, byKey(await kustomized()));
});
