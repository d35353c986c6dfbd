import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chartFolder, ciValues, objectsIn, release } from '../../chart/chart.ts';
import type { Resource } from '../../world/kubernetes/client.ts';
import { events, namespaces } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { type BareCluster, installKinds, startBareCluster } from './bare-cluster.ts';

/* Everything that becomes a Pod passes Pod Security `restricted`, in a namespace that refuses all else. */

const pods: Resource = { group: '', version: 'v1', plural: 'pods' };
let cluster: BareCluster;
before(async () => {
  cluster = await startBareCluster();
  await installKinds(cluster, 'metacontroller', 'external-secrets');
  const labels = Object.fromEntries(
    ['enforce', 'warn', 'audit'].flatMap((mode) => [
      [`pod-security.kubernetes.io/${mode}`, 'restricted'],
      [`pod-security.kubernetes.io/${mode}-version`, 'latest'],
    ]),
  );
  for (const name of [release.namespace, 'loose'])
    await cluster.kube.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels },
    });
});
after(() => cluster.plane.close());

const installInto = (namespace: string, ...more: readonly string[]): readonly string[] => [
  ...['install', release.name, chartFolder, '--namespace', namespace],
  ...['--values', `${chartFolder}/ci/minimal-values.yaml`, ...more],
];
const dryRun = 'apply --server-side --dry-run=server --warnings-as-errors -f -';

for (const [name, file] of await ciValues()) {
  test(`The Deployment and the test Pod of ci/${name}-values.yaml are taken without a warning`, async () => {
    const args = ['template', release.name, chartFolder, '--namespace', release.namespace, '--values', file];
    const objects = objectsIn(await cluster.helm.ok(args)).filter(({ kind }) =>
      /^(Deployment|Pod)$/.test(kind),
    );
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    const said = await cluster.kubectl.ok(dryRun, { input });
    assert.match(said, /^deployment\.apps\/\S+ serverside-applied/m);
  });
}

test('The ReplicaSet of a release that was installed makes its Pods', async () => {
  const { stderr } = await cluster.helm.run(installInto(release.namespace));
  assert.doesNotMatch(stderr, /PodSecurity/);
  const found = await waitFor('two Pods', async () => {
    const { items } = await cluster.kube.list(pods, release.namespace);
    return items.length === 2 ? items : undefined;
  });
  for (const { metadata } of found)
    assert.equal(metadata.labels?.['app.kubernetes.io/instance'], release.name);
});

test('The Pod of helm test is created', async () => {
  const hooks = await cluster.helm.ok(['get', 'hooks', release.name, '--namespace', release.namespace]);
  const said = await cluster.kubectl.ok('create --warnings-as-errors -f -', { input: hooks });
  assert.match(said, /^pod\/\S+-test created$/m);
});

test('The namespace does refuse: a Pod that may escalate is warned of, and never made', async () => {
  const looser = ['--set', 'securityContext.allowPrivilegeEscalation=true', '--set', 'crds.enabled=false'];
  const controllers = ['--set', 'metacontroller.enabled=false', '--set', 'fullnameOverride=loose'];
  const { code, stderr } = await cluster.helm.run(installInto('loose', ...looser, ...controllers));
  assert.equal(code, 0);
  assert.match(stderr, /would violate PodSecurity .*: allowPrivilegeEscalation != false/);
  await waitFor('the ReplicaSet to fail', async () => {
    const { items } = await cluster.kube.list(events, 'loose');
    return items.some((event) => event['reason'] === 'FailedCreate');
  });
  assert.deepEqual((await cluster.kube.list(pods, 'loose')).items, []);
});
