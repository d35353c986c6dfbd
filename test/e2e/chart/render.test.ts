import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chartFolder, ciValues, objectsIn, release } from '../../chart/chart.ts';
import { namespaces } from '../../world/kubernetes/resources.ts';
import { type BareCluster, installKinds, startBareCluster } from './bare-cluster.ts';

/* What the chart renders is what a real API server takes: every object of every values file of ci/, field by field. */

let cluster: BareCluster;
before(async () => {
  cluster = await startBareCluster();
  await installKinds(cluster, 'metacontroller', 'external-secrets', 'prometheus-operator', 'cert-manager');
  const metadata = { name: release.namespace };
  await cluster.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
after(() => cluster.plane.close());

const place = [release.name, chartFolder, '--namespace', release.namespace] as const;

for (const [name, file] of await ciValues()) {
  test(`Every object of ci/${name}-values.yaml passes strict validation by the API server`, async () => {
    const rendered = await cluster.helm.ok(['template', ...place, '--values', file]);
    const said = await cluster.kubectl.ok(
      'apply --server-side --dry-run=server --validate=strict --warnings-as-errors -f -',
      { input: rendered },
    );
    const lines = said.trim().split('\n');
    assert.equal(lines.length, objectsIn(rendered).length);
    for (const line of lines) assert.match(line, / serverside-applied \(server dry run\)$/);
  });

  test(`Helm would install ci/${name}-values.yaml into this cluster`, async () => {
    const said = await cluster.helm.ok(['install', ...place, '--values', file, '--dry-run=server']);
    assert.match(said, /STATUS: pending-install/);
  });
}

test('The validation is strict: a field that nobody knows is refused', async () => {
  const rendered = await cluster.helm.ok([
    'template',
    ...place,
    '--values',
    (await ciValues()).get('minimal') ?? '',
  ]);
  const said = await cluster.kubectl.refused('apply --server-side --dry-run=server --validate=strict -f -', {
    input: rendered.replace('  replicas: 2', '  replicas: 2\n  replicaz: 2'),
  });
  assert.match(said, /\.spec\.replicaz: field not declared in schema|unknown field "spec\.replicaz"/);
});
