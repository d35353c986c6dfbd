import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { chartFolder } from '../../chart/chart.ts';
import type { RunningPod } from '../../control-plane/pod-runner/run-pod.ts';
import { instance, untilInstanceReady } from '../../scenarios/instances.ts';
import { compositeControllers, crds, instances, secrets, tenants } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { blocksOf } from '../deployment/page.ts';
import { laterChart } from './chart-copy.ts';
import { release } from '../../control-plane/operator-release.ts';
import { type Cluster, startCluster, startMetacontrollerIn, valuesFor } from './cluster.ts';
import { playTestPod } from './helm-test-player.ts';
import { runOperator } from './operator-pod.ts';
import { createTenant, instanceReady, untilTenantGone, untilTenantReady } from './tenancy.ts';
import { requireIdleCalls, versionsOf } from './untouched.ts';

/* One release from its installation to its end and back, with a Tenant in use all the time. */

let cluster: Cluster;
let pod: RunningPod | undefined;
before(async () => {
  cluster = await startCluster();
  cluster.atEnd(async () => pod?.close());
  await startMetacontrollerIn(cluster);
});
after(() => cluster.close());

const place = ['--namespace', release.namespace] as const;
const described = 'Said by a later version.';

/** As a rollout does: the Pod that runs is replaced by one of the newest template. */
async function rollOut(): Promise<RunningPod> {
  await pod?.close();
  pod = await runOperator(cluster);
  return pod;
}

const certificate = async (): Promise<unknown> => {
  const names = ['ca', 'tls'].map((suffix) => `${release.name}-${suffix}`);
  return Promise.all(
    names.map(async (name) => (await cluster.kube.get(secrets, name, release.namespace))?.data),
  );
};

/** Changes the release, replaces the Pod, and requires that neither Tenant nor certificate notices. */
async function requireUntouched(what: () => Promise<unknown>): Promise<void> {
  const before = { versions: await versionsOf(cluster.kube, 'orders'), certificate: await certificate() };
  await what();
  await requireIdleCalls(await rollOut());
  assert.deepEqual(
    { versions: await versionsOf(cluster.kube, 'orders'), certificate: await certificate() },
    before,
  );
}

const describedCrd = async (): Promise<boolean> => {
  const crd = await cluster.kube.get(crds, 'postgresqltenants.pgtenancy.io');
  return JSON.stringify(crd?.spec).includes(described);
};

test('A release is installed, and a Tenant becomes Ready', async () => {
  const notes = await cluster.helm.ok(['install', release.name, chartFolder, ...place], valuesFor(cluster));
  assert.match(notes, /installation "demo", is in the namespace postgresql-tenant-operator\./);
  assert.doesNotMatch(notes, /MISSING|WARNING|NOTHING WILL HAPPEN/);
  await rollOut();
  await instanceReady(cluster);
  await createTenant(cluster.kube, 'orders');
  await untilTenantReady(cluster.kube, 'orders');
});

test('helm test passes while the operator runs, and fails when it does not', async () => {
  const run = async (): Promise<{ code: number | null; output: string }> => {
    const player = playTestPod({
      ...{ kube: cluster.kube, namespace: release.namespace, name: `${release.name}-test` },
      overrides: { READY_URL: `${pod?.hook.metricsUrl ?? ''}/readyz`, ATTEMPTS: '2' },
    });
    const helm = cluster.helm.run(['test', release.name, ...place, '--timeout', '60s']);
    const [{ output }, { code }] = await Promise.all([player, helm]);
    return { code, output };
  };
  const good = await run();
  assert.deepEqual(good.output.match(/^(ok|FAILED): [\w ]+/gm), [
    'ok: the operator is ready ',
    'ok: the hook answers ',
  ]);
  assert.equal(good.code, 0);
  await pod?.hook.stop();
  const bad = await run();
  assert.match(bad.output, /^FAILED: the operator is ready .*ECONNREFUSED/m);
  assert.equal(bad.code, 1);
  await pod?.hook.start();
});

test('helm upgrade with other values leaves Tenants and the certificate as they are', async () => {
  await requireUntouched(() =>
    cluster.helm.ok(
      ['upgrade', release.name, chartFolder, ...place],
      valuesFor(cluster, {
        replicas: 3,
        resources: { requests: { cpu: '50m' } },
        hook: { timeoutSeconds: 30 },
      }),
    ),
  );
  const controller = await cluster.kube.get(compositeControllers, 'postgresqltenant-controller');
  assert.match(JSON.stringify(controller?.spec), /"timeout":"30s"/);
});

test('helm upgrade to a later version of the chart brings its CRDs, and nothing happens to Tenants', async () => {
  const later = await laterChart(cluster.plane.folder, '0.2.0', described);
  assert.equal(await describedCrd(), false);
  await requireUntouched(() =>
    cluster.helm.ok(['upgrade', release.name, later, ...place], valuesFor(cluster)),
  );
  assert.equal(await describedCrd(), true);
});

test('helm rollback goes back, CRDs included, and Tenants stay as they are', async () => {
  await requireUntouched(() => cluster.helm.ok(['rollback', release.name, ...place]));
  assert.equal(await describedCrd(), false);
  await untilTenantReady(cluster.kube, 'orders');
});

test('A second release is refused with a sentence that names the first', async () => {
  const values = valuesFor(cluster, { installation: 'other' });
  const args = ['install', 'second', chartFolder, '--namespace', 'elsewhere', '--create-namespace'];
  for (const more of [[], ['--set', 'crds.enabled=false']]) {
    const said = await cluster.helm.refused([...args, ...more], values);
    assert.match(said, /must equal "second": current value is "postgresql-tenant-operator"/);
  }
  assert.match(
    await cluster.helm.refused([...args, '--set', 'crds.enabled=false'], values),
    /CompositeController "postgresql\w+-controller" .* exists and cannot be imported into the current release/,
  );
});

test('helm uninstall leaves CRDs, Tenants, Instances and Secrets', async () => {
  const spare = instance('pg-spare', cluster.servers.postgres.port, {
    adminRole: cluster.servers.management.adminRole,
    managementDatabase: cluster.servers.management.managementDatabase,
  });
  await cluster.kube.create(instances, spare);
  await untilInstanceReady(cluster.kube, 'pg-spare');
  for (const name of ['late', 'lost']) {
    await createTenant(cluster.kube, name);
    await untilTenantReady(cluster.kube, name);
  }
  const before = await versionsOf(cluster.kube, 'orders');
  const said = await cluster.helm.ok(['uninstall', release.name, ...place]);
  assert.match(said, /CustomResourceDefinition\] postgresqltenants\.pgtenancy\.io/);
  await pod?.close();
  await sleep(1_000);
  assert.deepEqual(await versionsOf(cluster.kube, 'orders'), before);
  assert.equal(await cluster.kube.get(compositeControllers, 'postgresqltenant-controller'), undefined);
});

test('What is deleted after an uninstallation hangs, and the escape in docs/operations.md lets it go', async () => {
  for (const name of ['late', 'lost']) await cluster.kube.delete(tenants, name, 'shop');
  await cluster.kube.delete(instances, 'pg-spare');
  await sleep(2_000);
  for (const name of ['late', 'lost'])
    assert.ok((await cluster.kube.get(tenants, name, 'shop'))?.metadata.deletionTimestamp);
  assert.ok((await cluster.kube.get(instances, 'pg-spare'))?.metadata.deletionTimestamp);
  for (const command of await escapeFor({ NS: 'shop', NAME: 'lost', INSTANCE: 'pg-spare' }))
    await cluster.kubectl.ok(command);
  await untilTenantGone(cluster.kube, 'lost');
  await waitFor('pg-spare to go', async () => {
    return (await cluster.kube.get(instances, 'pg-spare')) === undefined;
  });
});

/** The commands of that section, without the word kubectl. */
async function escapeFor(names: Readonly<Record<string, string>>): Promise<string[]> {
  const blocks = (await blocksOf('docs/operations.md')).filter(
    ({ heading, language }) => heading === 'Finalizers by hand' && language === 'sh',
  );
  const commands = blocks.flatMap(({ text }) => text.trim().split('\n'));
  assert.equal(commands.length, 3);
  return commands.map((command) =>
    command.replace(/^kubectl /, '').replaceAll(/\$(\w+)/g, (_, name: string) => names[name] ?? ''),
  );
}

test('Installing it again over what was kept takes everything up where it was', async () => {
  await cluster.helm.ok(['install', release.name, chartFolder, ...place], valuesFor(cluster));
  const before = await versionsOf(cluster.kube, 'orders');
  await requireIdleCallsOf('orders');
  assert.deepEqual(await versionsOf(cluster.kube, 'orders'), before);
  await untilTenantGone(cluster.kube, 'late');
  const { kube } = cluster;
  await kube.patch(tenants, 'orders', 'shop', { spec: { credentialRotation: 'again' } });
  const rotated = await untilTenantReady(kube, 'orders');
  assert.equal((rotated.status?.['credential'] as { version: number }).version, 2);
});

/** Only its own calls: others have something to do meanwhile. */
async function requireIdleCallsOf(name: string): Promise<void> {
  const { hook } = await rollOut();
  await sleep(3_000);
  assert.doesNotMatch(hook.log(), new RegExp(`"subject":"shop/${name}".*"step taken"`));
}

test('Without crds.keep an uninstallation deletes what is left, and its finalizers hold it until they are taken off', async () => {
  const { helm, kube, kubectl } = cluster;
  const loose = ['upgrade', release.name, chartFolder, ...place, '--set', 'crds.keep=false'];
  await helm.ok(loose, valuesFor(cluster));
  await helm.ok(['uninstall', release.name, ...place]);
  await pod?.close();
  await waitFor('the Tenant to be deleted', async () => {
    return (await kube.get(tenants, 'orders', 'shop'))?.metadata.deletionTimestamp !== undefined;
  });
  await sleep(2_000);
  assert.ok(await kube.get(secrets, 'orders-postgresql', 'shop'));
  const names = ['postgresqltenants.pgtenancy.io', 'postgresqlinstances.pgtenancy.io'];
  for (const name of names) assert.ok((await kube.get(crds, name))?.metadata.deletionTimestamp);
  for (const command of await escapeFor({ NS: 'shop', NAME: 'orders', INSTANCE: 'pg-main' }))
    await kubectl.ok(command);
  for (const name of names)
    await waitFor(`${name} to go`, async () => (await kube.get(crds, name)) === undefined, {
      timeoutMs: 40_000,
    });
});
