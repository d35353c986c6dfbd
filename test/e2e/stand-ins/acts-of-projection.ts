import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeObject } from '../../world/kubernetes/client.ts';
import { externalSecrets, secrets } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import type { Act, Projection } from './projection.ts';

const data = { user: 'shop', password: 'first' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const foreign = (
  { name }: Projection,
  metadata: object = {},
  type = 'servicebinding.io/postgresql',
): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', type },
  metadata: { name, namespace: 'team', ...metadata },
  data: { foreign: base64('theirs') },
});

const begin = async (scene: Projection, spec: object = {}, metadata: object = {}): Promise<void> => {
  await scene.write(data, 0);
  await scene.create(spec, metadata);
  await scene.settled('synced', 'SecretSynced');
};

const extract = ({ path }: Projection, version: string) => ({
  dataFrom: [
    {
      extract: {
        ...{ key: path, version },
        ...{ conversionStrategy: 'Default', decodingStrategy: 'None', metadataPolicy: 'None' },
      },
    },
  ],
});

const act = (name: string, run: (scene: Projection) => Promise<void>): Act => ({
  name,
  run: async (scene) => {
    await run(scene);
    return undefined;
  },
});

const ownerOf = (scene: Projection, more: object): Promise<KubeObject> =>
  scene.stage.kube.create(secrets, {
    ...foreign(scene, { ownerReferences: [more] }),
  });

/** An owner that exists, or the garbage collector takes the Secret: the ServiceAccount that every namespace gets, in a moment. */
const somebody = async ({ stage }: Projection): Promise<object> => {
  const owner = await waitFor('the ServiceAccount of the namespace', () =>
    stage.kube.get({ group: '', version: 'v1', plural: 'serviceaccounts' }, 'default', 'team'),
  );
  return { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', uid: owner.metadata.uid };
};

export const actsOfProjection: readonly Act[] = [
  act('synced', (scene) => begin(scene, extract(scene, '1'))),
  act('without-template', (scene) =>
    begin(scene, { target: { name: scene.name } }, { labels: { kept: 'yes' }, annotations: { told: 'yes' } }),
  ),
  act('version-not-there-yet', async (scene) => {
    await scene.write(data, 0);
    await scene.create(extract(scene, '2'));
    await scene.settled('missing', 'SecretSyncedError');
    await scene.write({ ...data, password: 'second' }, 1);
    await scene.settled('there', 'SecretSynced');
  }),
  act('record-gone-later', async (scene) => {
    await begin(scene, { refreshInterval: '2s' });
    await scene.stage.kv.deleteMetadata(scene.path);
    await scene.settled('gone', 'SecretSyncedError');
  }),
  act('record-gone-and-deletion-policy-delete', async (scene) => {
    await begin(scene, { refreshInterval: '2s', target: scene.target({ deletionPolicy: 'Delete' }) });
    await scene.stage.kv.deleteMetadata(scene.path);
    await scene.settled('gone', 'SecretDeleted');
  }),
  act('property-of-template-missing', async (scene) => {
    await scene.write({ password: 'first' }, 0);
    await scene.create();
    await scene.settled('refused', 'SecretSyncedError');
  }),
  act('store-missing', async (scene) => {
    await scene.create({ secretStoreRef: { kind: 'ClusterSecretStore', name: 'nowhere' } });
    await scene.settled('missing', 'SecretSyncedError');
  }),
  act('store-not-ready', async (scene) => {
    await scene.create({ secretStoreRef: { kind: 'ClusterSecretStore', name: 'refused' } });
    await scene.settled('refused', 'SecretSyncedError');
  }),
  act('store-of-another-namespace', async (scene) => {
    await scene.create({ secretStoreRef: { kind: 'ClusterSecretStore', name: 'closed' } });
    await scene.settled('refused', 'SecretSyncedError');
  }),
  act('spec-edited', async (scene) => {
    await begin(scene, extract(scene, '1'));
    await scene.write({ ...data, password: 'second' }, 1);
    await scene.change({ spec: extract(scene, '2') });
    await scene.settled('edited', 'SecretSynced');
  }),
  act('relabelled', async (scene) => {
    await begin(scene);
    const before = JSON.stringify((await scene.object())?.status?.['syncedResourceVersion']);
    await scene.change({ metadata: { labels: { other: 'yes' } } });
    await waitFor('another sync', async () => {
      const { status } = (await scene.object()) ?? {};
      return JSON.stringify(status?.['syncedResourceVersion']) !== before;
    });
    await scene.note('relabelled');
  }),
  act('secret-deleted', async (scene) => {
    await begin(scene);
    const uid = (await scene.secret())?.metadata.uid;
    await scene.stage.kube.delete(secrets, scene.name, 'team');
    await scene.untilSecret('a new Secret', (secret) => secret !== undefined && secret.metadata.uid !== uid);
    await scene.note('deleted');
  }),
  act('secret-edited', async (scene) => {
    await begin(scene);
    await scene.changeSecret({ data: { password: base64('edited'), more: base64('more') } });
    await scene.untilSecret('the old data', (secret) => secret?.data?.['password'] === base64('first'));
    await scene.note('edited');
  }),
  act('secret-without-its-labels', async (scene) => {
    await begin(scene);
    await scene.changeSecret({ metadata: { labels: null } });
    await sleep(2_000);
    await scene.note('unlabelled');
  }),
  act('secret-of-nobody-there-before', async (scene) => {
    await scene.stage.kube.create(secrets, foreign(scene));
    await begin(scene);
  }),
  act('secret-of-nobody-with-another-type', async (scene) => {
    await scene.stage.kube.create(secrets, foreign(scene, {}, 'Opaque'));
    await scene.write(data, 0);
    await scene.create();
    // The type of a Secret cannot be changed.
    await scene.settled('refused', 'SecretSyncedError');
    await waitFor('another try', () => scene.writes().at(-1) === 'update secrets 422');
  }),
  act('secret-of-another-controller', async (scene) => {
    await ownerOf(scene, { ...(await somebody(scene)), controller: true });
    await scene.write(data, 0);
    await scene.create();
    await scene.settled('refused', 'SecretSyncedError');
  }),
  act('secret-owned-without-control', async (scene) => {
    await ownerOf(scene, await somebody(scene));
    await begin(scene);
  }),
  act('target-of-another-external-secret', async (scene) => {
    await begin(scene);
    const other = `${scene.name}.other`;
    const { kube } = scene.stage;
    const own = await scene.object();
    await kube.create(externalSecrets, {
      ...{ apiVersion: 'external-secrets.io/v1', kind: 'ExternalSecret' },
      metadata: { name: other, namespace: 'team' },
      spec: { ...own?.spec },
    });
    const ready = await waitFor(`${other} to fail`, async () => {
      const status = (await kube.get(externalSecrets, other, 'team'))?.status;
      return JSON.stringify(status ?? {}).includes('SecretSyncedError') ? status : undefined;
    });
    await scene.note('disputed');
    scene.seen['other'] = ready;
  }),
  act('target-renamed', async (scene) => {
    await begin(scene);
    await scene.change({ spec: { target: { name: `${scene.name}.new` } } });
    await scene.settled('renamed', 'SecretSynced');
    scene.seen['new'] = Object.keys((await scene.secret(`${scene.name}.new`))?.data ?? {});
  }),
  act('refreshed', async (scene) => {
    await begin(scene, { refreshInterval: '2s' });
    await scene.write({ ...data, password: 'second' }, 1);
    await scene.untilSecret('new data', (secret) => secret?.data?.['password'] === base64('second'));
    await scene.note('refreshed');
  }),
  act('on-change-does-not-refresh', async (scene) => {
    await begin(scene, { refreshPolicy: 'OnChange', refreshInterval: '2s' });
    await scene.write({ ...data, password: 'second' }, 1);
    await sleep(3_000);
    await scene.note('later');
  }),
  ...(['Retain', 'Delete'] as const).map((deletionPolicy) =>
    act(`deleted-with-${deletionPolicy.toLowerCase()}`, async (scene) => {
      await begin(scene, { target: scene.target({ deletionPolicy }) });
      await scene.stage.kube.delete(externalSecrets, scene.name, 'team');
      await waitFor('it to be gone', async () => (await scene.object()) === undefined);
      await scene.untilSecret('no Secret', (secret) => secret === undefined);
      await scene.note('deleted');
    }),
  ),
];
