import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { foreignCrds, loadCrds, yamlDocuments } from './manifests.ts';
import { clusterSecretStores, compositeControllers, externalSecrets } from './resources.ts';
import { refusalOf, withApi } from './test-api.ts';

test('the CRDs of Metacontroller and External Secrets are valid and served', async () => {
  await withApi(await loadCrds(foreignCrds), async (client) => {
    for (const resource of [
      compositeControllers,
      externalSecrets,
      clusterSecretStores,
      { ...clusterSecretStores, plural: 'secretstores' },
    ])
      assert.deepEqual((await client.list(resource)).items, []);
  });
});

test('an ExternalSecret gets the defaults that External Secrets gives it', async () => {
  await withApi(await loadCrds(foreignCrds), async (client) => {
    const created = await client.create(externalSecrets, {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'es', namespace: 'default' },
      spec: {
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'store' },
        target: { template: { type: 'Opaque' } },
        dataFrom: [{ extract: { key: 'a/b', version: '3' } }],
      },
    });
    assert.deepEqual(created.spec, {
      refreshInterval: '1h0m0s',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'store' },
      target: {
        creationPolicy: 'Owner',
        deletionPolicy: 'Retain',
        template: { type: 'Opaque', engineVersion: 'v2', mergePolicy: 'Replace' },
      },
      dataFrom: [
        {
          extract: {
            key: 'a/b',
            version: '3',
            conversionStrategy: 'Default',
            decodingStrategy: 'None',
            metadataPolicy: 'None',
          },
        },
      ],
    });
  });
});

test('a store needs exactly one provider, and a controller a parent', async () => {
  await withApi(await loadCrds(foreignCrds), async (client) => {
    const store = {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ClusterSecretStore',
      metadata: { name: 'store' },
    };
    const refusal = await refusalOf(client.create(clusterSecretStores, { ...store, spec: { provider: {} } }));
    assert.match(refusal.message, /spec\.provider in body should have at least 1 properties/);
    const vault = {
      server: 'https://127.0.0.1:8200',
      path: 'kv',
      auth: { tokenSecretRef: { name: 'a', key: 'b' } },
    };
    const created = await client.create(clusterSecretStores, { ...store, spec: { provider: { vault } } });
    assert.deepEqual(created.spec, { provider: { vault: { ...vault, version: 'v2' } } });
    const controller = {
      apiVersion: 'metacontroller.k8s.io/v1alpha1',
      kind: 'CompositeController',
      metadata: { name: 'cc' },
      spec: {},
    };
    assert.match(
      (await refusalOf(client.create(compositeControllers, controller))).message,
      /spec\.parentResource: Required value/,
    );
  });
});

test('files with several documents are read whole, and broken YAML is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    const file = join(folder, 'a.yaml');
    await writeFile(file, 'kind: A\n---\n# nothing\n---\nkind: CustomResourceDefinition\n');
    assert.deepEqual(
      (await yamlDocuments(file)).map(({ kind }) => kind),
      ['A', 'CustomResourceDefinition'],
    );
    assert.deepEqual(
      (await loadCrds([file])).map(({ kind }) => kind),
      ['CustomResourceDefinition'],
    );
    await writeFile(file, 'a: [');
    await assert.rejects(yamlDocuments(file));
  } finally {
    await rm(folder, { recursive: true });
  }
});
