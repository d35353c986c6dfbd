import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { objectsIn, render, withValues } from './chart.ts';

/* The kinds: one source, whole after the rendering, and kept when the release goes. */

const keep = 'helm.sh/resource-policy';

const crdsOf = async (...args: readonly string[]) =>
  (await render(withValues('minimal', ...args))).filter(({ kind }) => kind === 'CustomResourceDefinition');

test('the kinds of the chart are those of crds/, word by word, and stay when it is uninstalled', async () => {
  const rendered = await crdsOf();
  assert.equal(rendered.length, 2);
  for (const crd of rendered) {
    const [plural] = crd.metadata.name.split('.');
    const [source] = objectsIn(await readFile(new URL(`../../crds/${plural}.yaml`, import.meta.url), 'utf8'));
    assert.ok(source);
    assert.deepEqual(crd['spec'], source['spec']);
    for (const [label, value] of Object.entries(source.metadata.labels))
      assert.equal(crd.metadata.labels[label], value);
    assert.deepEqual(crd.metadata.annotations, { [keep]: 'keep' });
  }
});

test('crds.keep=false lets them go with the release', async () => {
  const rendered = await crdsOf('--set', 'crds.keep=false');
  assert.deepEqual(
    rendered.map(({ metadata }) => metadata.annotations),
    [{}, {}],
  );
});

test('crds.enabled=false leaves them to others', async () => {
  assert.deepEqual(await crdsOf('--set', 'crds.enabled=false'), []);
});
