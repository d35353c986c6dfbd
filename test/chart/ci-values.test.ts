import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chartFolder, ciValues, helm, release, render, type Rendered } from './chart.ts';

/* Every values file of ci/: what holds for each rendering. */

const clusterWide = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CompositeController',
  'CustomResourceDefinition',
]);

const keyOf = ({ kind, metadata }: Rendered) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

for (const [name, path] of await ciValues()) {
  test(`ci/${name}: helm lint --strict has nothing to say`, async () => {
    const said = await helm('lint', '--strict', '--values', path, chartFolder);
    assert.doesNotMatch(said, /\[(WARNING|ERROR)\]/);
    assert.match(said, /1 chart\(s\) linted, 0 chart\(s\) failed/);
  });

  test(`ci/${name}: every object has its namespace, its labels, and a name of its own`, async () => {
    const objects = await render(['--values', path]);
    for (const { kind, metadata } of objects) {
      assert.equal(metadata.namespace, clusterWide.has(kind) ? undefined : release.namespace, metadata.name);
      assert.equal(metadata.labels['app.kubernetes.io/instance'], release.name, `${kind} ${metadata.name}`);
      assert.equal(metadata.labels['app.kubernetes.io/managed-by'], 'Helm');
      assert.match(metadata.labels['helm.sh/chart'] ?? '', /^postgresql-tenant-operator-/);
    }
    const keys = objects.map(keyOf);
    assert.deepEqual(keys, [...new Set(keys)]);
    assert.ok(keys.includes(`Deployment ${release.namespace}/${release.fullname}`));
  });
}
