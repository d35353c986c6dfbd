import assert from 'node:assert/strict';
import { test } from 'node:test';

import { only, release, render, type Rendered, withValues } from './chart.ts';
import { controllersIn, webhooksIn } from './controllers.ts';

/* What Metacontroller gets: controllers of constant names, when their kind is there, and rights. */

/** What only a real cluster serves: with it the renderer knows what the cluster has. */
const cluster = ['--api-versions', 'apiregistration.k8s.io/v1'];
const withMetacontroller = [
  ...cluster,
  '--api-versions',
  'metacontroller.k8s.io/v1alpha1/CompositeController',
];

const namesOf = async (...args: readonly string[]) =>
  controllersIn(await render(withValues('minimal', ...args))).map(({ metadata }) => metadata.name);

const both = ['postgresqlinstance-controller', 'postgresqltenant-controller'];

test('the names of the controllers are in finalizers: no value and no release changes them', async () => {
  assert.deepEqual(await namesOf(), both);
  assert.deepEqual(await namesOf('--set', 'fullnameOverride=other,nameOverride=another'), both);
  const elsewhere = await render(withValues('full'), {
    name: 'x',
    namespace: 'y',
    fullname: 'x-postgresql-tenant-operator',
  });
  assert.deepEqual(
    controllersIn(elsewhere).map(({ metadata }) => metadata.name),
    both,
  );
});

test('auto: they come with their kind, and without a cluster', async () => {
  assert.deepEqual(await namesOf(...cluster), []);
  assert.deepEqual(await namesOf(...withMetacontroller), both);
  assert.deepEqual(await namesOf(), both);
});

test('always and never mean it', async () => {
  assert.deepEqual(await namesOf(...cluster, '--set', 'metacontroller.compositeControllers=always'), both);
  const never = ['--set', 'metacontroller.compositeControllers=never'];
  assert.deepEqual(await namesOf(...withMetacontroller, ...never), []);
  assert.deepEqual(await namesOf(...withMetacontroller, '--set', 'metacontroller.enabled=false'), []);
});

test('where no CA can be looked up, they are not left out in silence: it has to be given', async () => {
  const wanted = ['--set', 'metacontroller.compositeControllers=auto'];
  for (const known of [[], cluster, withMetacontroller])
    await assert.rejects(
      render(withValues('cert-manager', ...wanted, ...known)),
      /hook\.tls\.caBundle is required .* where it cannot be looked up/,
    );
  assert.notDeepEqual(controllersIn(await render(withValues('cert-manager-issuer'))), []);
});

test('each of the five webhooks calls the Service by name, in its own time', async () => {
  const hooks = webhooksIn(await render(withValues('minimal')));
  const origin = `https://${release.fullname}.${release.namespace}.svc:8443`;
  assert.deepEqual(hooks.map(({ url, timeout }) => [url, timeout]).sort(), [
    [`${origin}/instances/finalize`, '15s'],
    [`${origin}/instances/sync`, '15s'],
    [`${origin}/tenants/customize`, '2s'],
    [`${origin}/tenants/finalize`, '15s'],
    [`${origin}/tenants/sync`, '15s'],
  ]);
});

test('times, labels and the address come from the values', async () => {
  const objects = await render(withValues('full', '--set', 'metacontroller.hookUrl=https://127.0.0.1:12345'));
  const [instances, tenants] = controllersIn(objects);
  assert.ok(instances !== undefined && tenants !== undefined);
  assert.equal(instances.spec.resyncPeriodSeconds, 120);
  assert.equal(tenants.spec.resyncPeriodSeconds, 1800);
  assert.equal(tenants.metadata.labels['example.com/metacontroller'], 'databases');
  assert.deepEqual(
    webhooksIn(objects).map(({ url, timeout }) => `${new URL(url).origin} ${timeout}`),
    [...Array<string>(4).fill('https://127.0.0.1:12345 60s'), 'https://127.0.0.1:12345 5s'],
  );
});

test('a mesh that does TLS is called in plain HTTP, without a CA', async () => {
  for (const { url, caBundle } of webhooksIn(await render(withValues('mesh')))) {
    assert.match(url, /^http:/);
    assert.equal(caBundle, undefined);
  }
});

const rulesOf = (objects: readonly Rendered[]) =>
  only(objects, 'ClusterRole', `metacontroller-${release.fullname}`)['rules'] as {
    resources: string[];
    verbs: string[];
  }[];

test('a bearer token is shown from its Secret, and costs the right to every Secret', async () => {
  const objects = await render(withValues('token'));
  for (const { authorization } of webhooksIn(objects))
    assert.deepEqual(authorization?.secretRef, {
      name: 'hook-token',
      namespace: release.namespace,
      key: 'token',
    });
  assert.deepEqual(rulesOf(objects).at(-1), {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'list', 'watch'],
  });
});

test('without one, Metacontroller may do nothing with Secrets, and nothing is granted by a star', async () => {
  const rules = rulesOf(await render(withValues('minimal')));
  const granted = rules.flatMap(({ resources, verbs }) => [...resources, ...verbs]);
  assert.ok(granted.includes('externalsecrets'));
  assert.ok(!granted.includes('secrets'));
  assert.ok(!granted.some((word) => word.includes('*')));
});

test('the operator itself may only read', async () => {
  const objects = await render(withValues('full'));
  for (const [kind, wanted] of [
    ['ClusterRole', ['get', 'get', 'list', 'get', 'get']],
    ['Role', ['get']],
  ] as const) {
    const rules = only(objects, kind, release.fullname)['rules'] as { verbs: string[] }[];
    assert.deepEqual(
      rules.flatMap(({ verbs }) => verbs),
      wanted,
    );
  }
});

test('people get what the roles of Kubernetes say, and databases only where the values say so', async () => {
  const aggregated = async (role: string, ...more: readonly string[]) => {
    const objects = await render(withValues('minimal', ...more));
    const { labels } = only(objects, 'ClusterRole', `${release.fullname}-${role}`).metadata;
    return Object.keys(labels)
      .filter((label) => label.startsWith('rbac.authorization.k8s.io/'))
      .sort();
  };
  const to = (...roles: readonly string[]) =>
    roles.map((role) => `rbac.authorization.k8s.io/aggregate-to-${role}`).sort();
  assert.deepEqual(await aggregated('view'), to('view', 'edit', 'admin'));
  assert.deepEqual(await aggregated('view', '--set', 'rbac.aggregateToView=false'), []);
  assert.deepEqual(await aggregated('edit'), []);
  assert.deepEqual(await aggregated('edit', '--set', 'rbac.aggregateToEdit=true'), to('edit', 'admin'));
});
