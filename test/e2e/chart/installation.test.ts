import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';

import { chartFolder } from '../../chart/chart.ts';
import { untilServed } from '../../control-plane/platform.ts';
import { instance } from '../../scenarios/instances.ts';
import { compositeControllers, crds, instances } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { type BareCluster, installKinds, startBareCluster } from './bare-cluster.ts';
import { release } from '../../control-plane/operator-release.ts';

/* What Helm says and does in clusters where something is missing, is there already, or is to go. Nothing runs in them. */

let cluster: BareCluster;
beforeEach(async () => {
  cluster = await startBareCluster();
});
afterEach(() => cluster.plane.close());

const place = ['--namespace', release.namespace, '--create-namespace'] as const;
const values = ['--values', `${chartFolder}/ci/minimal-values.yaml`] as const;
const helm = (verb: 'install' | 'upgrade', ...more: readonly string[]): Promise<string> =>
  cluster.helm.ok([verb, release.name, chartFolder, ...place, ...values, ...more]);
const ownKinds = ['postgresqlinstances.pgtenancy.io', 'postgresqltenants.pgtenancy.io'];

test('The notes name what is missing, and an upgrade brings the controllers once Metacontroller is there', async () => {
  const first = await helm('install');
  assert.match(first, /NOTHING WILL HAPPEN TO ANY TENANT OR INSTANCE UNTIL YOU RUN `helm upgrade` ONCE MORE/);
  assert.match(first, /this cluster has no Metacontroller/);
  assert.match(first, /MISSING: External Secrets \(external-secrets\.io\/v1\)/);
  assert.match(first, /helm upgrade postgresql-tenant-operator <this chart> .* --reset-then-reuse-values/);
  await installKinds(cluster, 'metacontroller');
  const second = await helm('upgrade');
  assert.doesNotMatch(second, /NOTHING|Metacontroller \(/);
  assert.match(second, /MISSING: External Secrets/);
  const { items } = await cluster.kube.list(compositeControllers);
  assert.equal(items.length, 2);
  await installKinds(cluster, 'external-secrets');
  const third = await helm('upgrade');
  assert.doesNotMatch(third, /MISSING|NOTHING|WARNING/);
  assert.match(third, /^Next, as far as it is not done yet:$/m);
});

test('CRDs that were applied by hand are taken over where --take-ownership says so', async () => {
  await installKinds(cluster, 'metacontroller');
  await cluster.kubectl.ok('apply --server-side -f crds/');
  await untilServed(cluster.kube, ownKinds);
  await cluster.kube.create(instances, instance('pg-main', 5432));
  const args = ['install', release.name, chartFolder, ...place, ...values];
  const said = await cluster.helm.refused(args);
  assert.match(
    said,
    /CustomResourceDefinition "postgresql\w+\.pgtenancy\.io" .* exists and cannot be imported/,
  );
  await helm('install', '--take-ownership');
  assert.ok(await cluster.kube.get(instances, 'pg-main'));
  await helm('upgrade');
});

test('CRDs that an uninstalled release left are taken over by one of another name in the same way', async () => {
  await installKinds(cluster, 'metacontroller');
  await helm('install');
  await cluster.helm.ok(['uninstall', release.name, '--namespace', release.namespace]);
  const other = ['install', 'other', chartFolder, ...place, ...values];
  assert.match(
    await cluster.helm.refused(other),
    /CustomResourceDefinition .* exists and cannot be imported/,
  );
  await cluster.helm.ok([...other, '--take-ownership']);
});

test('An upgrade that would delete the kinds is refused until they are kept, and then leaves them', async () => {
  await installKinds(cluster, 'metacontroller');
  await helm('install', '--set', 'crds.keep=false');
  await untilServed(cluster.kube, ownKinds);
  await cluster.kube.create(instances, instance('pg-main', 5432));
  const off = ['--set', 'crds.enabled=false'] as const;
  const said = await cluster.helm.refused([
    'upgrade',
    release.name,
    chartFolder,
    ...place,
    ...values,
    ...off,
  ]);
  assert.match(said, /crds\.enabled=false would delete postgresqlinstances\.pgtenancy\.io/);
  assert.match(said, /crds\.enabled=false would delete postgresqltenants\.pgtenancy\.io/);
  await helm('upgrade');
  await helm('upgrade', ...off);
  assert.ok(await cluster.kube.get(instances, 'pg-main'));
});

test('An upgrade that would change the selector of the Deployment is refused with a sentence', async () => {
  await helm('install');
  const renamed = ['--set', `nameOverride=other,fullnameOverride=${release.name}`] as const;
  const args = ['upgrade', release.name, chartFolder, ...place, ...values, ...renamed];
  assert.match(
    await cluster.helm.refused(args),
    /nameOverride and the name of the release must fit the Deployment postgresql-tenant-operator, which selects/,
  );
  await helm('upgrade', '--set', 'commonLabels.team=platform');
});

test('An upgrade that would change the name of the installation is refused with a sentence', async () => {
  await helm('install');
  for (const other of ['installation=other', 'installation=other,fullnameOverride=renamed']) {
    const args = ['upgrade', release.name, chartFolder, ...place, ...values, '--set', other];
    assert.match(
      await cluster.helm.refused(args),
      /installation must stay production, as the Deployment postgresql-tenant-operator has it/,
    );
  }
  await helm('upgrade', '--set', 'fullnameOverride=renamed');
});

test('A release does not take over what another operator of the cluster is called about', async () => {
  await installKinds(cluster, 'metacontroller');
  await helm('install');
  const args = ['install', 'other', chartFolder, '--namespace', 'other', '--create-namespace', ...values];
  assert.match(
    await cluster.helm.refused([...args, '--take-ownership']),
    /the CompositeController postgresqltenant-controller calls https:\S+, and this release would have it call https:/,
  );
  await cluster.helm.ok([...args, '--take-ownership', '--set', 'metacontroller.compositeControllers=never']);
  const upgrade = ['upgrade', ...args.slice(1, 5), ...values, '--take-ownership'];
  assert.match(await cluster.helm.refused(upgrade), /there can be one operator in a cluster/);
  await cluster.helm.ok(['uninstall', release.name, '--namespace', release.namespace]);
  await cluster.helm.ok(upgrade);
});

test('Another container of the Pod may have a name of an installation of its own', async () => {
  const sidecar = ['name=sidecar', 'image=sidecar:1', 'env[0].name=INSTALLATION', 'env[0].value=other'];
  const set = ['--set', sidecar.map((value) => `extraContainers[0].${value}`).join(',')] as const;
  await helm('install', ...set);
  await helm('upgrade', ...set);
});

test('What was made by hand is not taken over under the name of another installation', async () => {
  await cluster.kubectl.ok('create namespace postgresql-tenant-operator');
  await cluster.kubectl.ok('apply -f examples/install/operator.yaml');
  const takeOver = ['--take-ownership', '--force-conflicts'] as const;
  const args = ['install', release.name, chartFolder, ...place, ...values, ...takeOver];
  assert.match(
    await cluster.helm.refused([...args, '--set', 'installation=other']),
    /installation must stay production, as the Deployment postgresql-tenant-operator has it/,
  );
  const mine = ['install', 'mine', ...args.slice(2), '--set', `fullnameOverride=${release.name}`];
  assert.match(await cluster.helm.refused(mine), /the name of the release must fit the Deployment/);
  await cluster.helm.ok(args);
});

test('An upgrade that turns the CompositeControllers off deletes them, and the notes say so', async () => {
  await installKinds(cluster, 'metacontroller');
  assert.doesNotMatch(await helm('install'), /has no CompositeControllers/);
  const notes = await helm('upgrade', '--set', 'metacontroller.compositeControllers=never');
  assert.match(notes, /WARNING: this release has no CompositeControllers, and Helm deletes those/);
  assert.deepEqual((await cluster.kube.list(compositeControllers)).items, []);
});

test('Without crds.keep the kinds go with the release, and with them every object of theirs', async () => {
  await installKinds(cluster, 'metacontroller');
  assert.match(await helm('install', '--set', 'crds.keep=false'), /WARNING: crds\.keep is false/);
  await untilServed(cluster.kube, ownKinds);
  await cluster.kube.create(instances, instance('pg-main', 5432));
  await cluster.helm.ok(['uninstall', release.name, '--namespace', release.namespace]);
  await waitFor('the kinds to go', async () => {
    const { items } = await cluster.kube.list(crds);
    return !items.some(({ metadata }) => ownKinds.includes(metadata.name));
  });
});
