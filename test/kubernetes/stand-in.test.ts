import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { createKubernetesReader } from '../../src/kubernetes/reader.ts';
import type { KubernetesReader } from '../../src/reconcile/ports.ts';
import { troubleOf } from '../trouble-of.ts';
import { startKubernetesApi, type KubernetesApi } from '../world/kubernetes/api.ts';
import { KubeClient } from '../world/kubernetes/client.ts';
import { foreignCrds, loadCrds } from '../world/kubernetes/manifests.ts';
import {
  crds,
  externalSecrets,
  instances,
  namespaces,
  secrets,
  tenants,
} from '../world/kubernetes/resources.ts';

/* The good path, against the API server that the scenarios use too. */
let api: KubernetesApi;
let kube: KubeClient;
let reader: KubernetesReader;

const ownCrds = ['postgresqlinstances', 'postgresqltenants'].map(
  (name) => new URL(`../../crds/${name}.yaml`, import.meta.url),
);
const group = { apiVersion: 'pgtenancy.io/v1alpha1' };

before(async () => {
  api = await startKubernetesApi();
  kube = new KubeClient({ url: api.url });
  reader = createKubernetesReader({ url: api.url, operatorNamespace: 'ops' });
  for (const crd of await loadCrds([...foreignCrds, ...ownCrds])) await kube.create(crds, crd);
  for (const name of ['ops', 'shop']) {
    await kube.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { team: name } },
    });
  }
});
after(() => api.close());

const createTenant = (name: string, instance: string) =>
  kube.create(tenants, {
    ...group,
    kind: 'PostgreSQLTenant',
    metadata: { namespace: 'shop', name },
    spec: { instanceRef: { name: instance } },
  });

test('an Instance is read live, and seen when it changes and when it goes', async () => {
  assert.equal(await reader.freshInstance('main'), undefined);
  await kube.create(instances, {
    ...group,
    kind: 'PostgreSQLInstance',
    metadata: { name: 'main' },
    spec: { host: 'db.example.com', managementSecretRef: { name: 'db-admin' } },
  });
  assert.equal((await reader.freshInstance('main'))?.spec.tls.mode, 'verify-full');
  await kube.patch(instances, 'main', undefined, { spec: { port: 6432 } });
  const changed = await reader.freshInstance('main');
  assert.deepEqual([changed?.spec.port, changed?.metadata.generation], [6432, 2]);
  await kube.delete(instances, 'main');
  assert.equal(await reader.freshInstance('main'), undefined);
});

test('a Tenant is read from its namespace, and those of an Instance are listed', async () => {
  assert.equal(await reader.tenant('shop', 'orders'), undefined);
  assert.deepEqual(await reader.tenantsOf('main'), []);
  await createTenant('orders', 'main');
  await createTenant('billing', 'main');
  await createTenant('other', 'other');
  assert.equal((await reader.tenant('shop', 'orders'))?.spec.instanceRef.name, 'main');
  assert.equal(await reader.tenant('ops', 'orders'), undefined);
  assert.deepEqual(await reader.tenantsOf('main'), ['shop/billing', 'shop/orders']);
});

test('those of an Instance that have claimed names are told by their status', async () => {
  await createTenant('claimant', 'full');
  await createTenant('newcomer', 'full');
  const claimant = await kube.get(tenants, 'claimant', 'shop');
  assert.ok(claimant !== undefined);
  await kube.updateStatus(tenants, { ...claimant, status: { databaseName: 'shop_claimant' } });
  assert.deepEqual(await reader.claimantsOf('full'), ['shop/claimant']);
  assert.deepEqual(await reader.tenantsOf('full'), ['shop/claimant', 'shop/newcomer']);
});

test('a Namespace is ending while it is being deleted, and when it is not there', async () => {
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } });
  assert.equal(await reader.namespaceEnding('leaving'), false);
  const metadata = { namespace: 'leaving', name: 'held', finalizers: ['example.com/hold'] };
  await kube.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata });
  await kube.delete(namespaces, 'leaving');
  assert.equal(await reader.namespaceEnding('leaving'), true);
  assert.equal(await reader.namespaceEnding('nowhere'), true);
});

test('an ExternalSecret comes whole', async () => {
  const spec = {
    secretStoreRef: { name: 's', kind: 'ClusterSecretStore' },
    dataFrom: [{ extract: { key: 'a/b' } }],
  };
  assert.equal(await reader.externalSecret('shop', 'orders-postgresql'), undefined);
  const metadata = { namespace: 'shop', name: 'orders-postgresql' };
  const created = await kube.create(externalSecrets, {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata,
    spec,
  });
  assert.deepEqual((await reader.externalSecret('shop', 'orders-postgresql'))?.spec, created.spec);
});

test('labels of a Namespace and the management Secret are read', async () => {
  assert.equal((await reader.namespaceLabels('shop'))?.['team'], 'shop');
  assert.equal(await reader.namespaceLabels('nowhere'), undefined);
  const data = { username: Buffer.from('admin').toString('base64') };
  await kube.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ops', name: 'db-admin' },
    data,
  });
  assert.equal((await reader.managementSecret('db-admin'))?.['username']?.reveal(), 'admin');
  assert.equal(await reader.managementSecret('missing'), undefined);
});

test('without the CRD an object is not absent but unknown', async () => {
  await using bare = await bareApi();
  const bareReader = createKubernetesReader({ url: bare.url, operatorNamespace: 'ops' });
  assert.equal((await troubleOf(bareReader.instance('main'))).reason, 'KubernetesAnswerInvalid');
});

const bareApi = async () => {
  const bare = await startKubernetesApi();
  return { url: bare.url, [Symbol.asyncDispose]: () => bare.close() };
};
