import { type KubernetesApi, startKubernetesApi } from '../kubernetes/api.ts';
import { KubeClient, type KubeObject } from '../kubernetes/client.ts';
import { foreignCrds, loadCrds } from '../kubernetes/manifests.ts';
import { clusterSecretStores, crds, externalSecrets, namespaces, secrets } from '../kubernetes/resources.ts';
import { KvClient, type KvSetUp } from '../servers/kv.ts';
import type { OpenBao } from '../servers/openbao.ts';
import { waitFor } from '../servers/wait-for.ts';
import { type Condition, readExternalSecret } from './external-secret.ts';
import {
  type ExternalSecrets,
  type ExternalSecretsOptions,
  startExternalSecrets,
} from './external-secrets.ts';

export const namespace = 'team';
export const storeName = 'tenants';

/** A Kubernetes API with a store on a real OpenBao, and External Secrets at work. */
export class Trial {
  readonly api: KubernetesApi;
  readonly client: KubeClient;
  readonly kv: KvClient;
  readonly controller: ExternalSecrets;

  private constructor(api: KubernetesApi, client: KubeClient, kv: KvClient, controller: ExternalSecrets) {
    this.api = api;
    this.client = client;
    this.kv = kv;
    this.controller = controller;
  }

  static async start(
    bao: OpenBao,
    kv: KvSetUp,
    options: Partial<ExternalSecretsOptions> = {},
  ): Promise<Trial> {
    const api = await startKubernetesApi();
    try {
      const client = new KubeClient(api);
      await setUpCluster(client, bao, kv);
      const controller = await startExternalSecrets({
        api,
        maxBackoffMs: 100,
        storeRequeueMs: 200,
        ...options,
      });
      return new Trial(api, client, new KvClient(bao.root, kv.mount), controller);
    } catch (error) {
      await api.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.controller.stop();
    await this.api.close();
  }

  create(name: string, spec: object, metadata: object = {}): Promise<KubeObject> {
    return this.client.create(externalSecrets, externalSecret(name, spec, metadata));
  }

  change(name: string, patch: object): Promise<KubeObject> {
    return this.client.patch(externalSecrets, name, namespace, patch);
  }

  externalSecret(name: string): Promise<KubeObject | undefined> {
    return this.client.get(externalSecrets, name, namespace);
  }

  secret(name: string): Promise<KubeObject | undefined> {
    return this.client.get(secrets, name, namespace);
  }

  /** The Secret's data in clear; undefined: no Secret. */
  async data(name: string): Promise<Record<string, string> | undefined> {
    const secret = await this.secret(name);
    if (secret === undefined) return undefined;
    const entries = Object.entries(secret.data ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  }

  async ready(name: string): Promise<Condition | undefined> {
    const object = await this.externalSecret(name);
    if (object === undefined) return undefined;
    return readExternalSecret(object).status.conditions.find(({ type }) => type === 'Ready');
  }

  /** Waits until the condition Ready has this reason, and the sync is one of the newest generation (when it is True). */
  async settled(name: string, reason: string): Promise<KubeObject> {
    return waitFor(`${name} to be ${reason}`, async () => {
      const object = await this.externalSecret(name);
      if (object === undefined) return undefined;
      const { conditions, syncedResourceVersion = '' } = readExternalSecret(object).status;
      const ready = conditions.find(({ type }) => type === 'Ready');
      const isNewest = syncedResourceVersion.startsWith(`${object.metadata.generation ?? 0}-`);
      return ready?.reason === reason && (ready.status === 'False' || isNewest) ? object : undefined;
    });
  }
}

/** One that reads the whole record `one/<name>`, whatever its version, into a Secret of the same name. */
export const externalSecret = (name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ExternalSecret',
  metadata: { name, namespace, ...metadata },
  spec: {
    refreshInterval: '1h0m0s',
    secretStoreRef: { kind: 'ClusterSecretStore', name: storeName },
    target: { name },
    dataFrom: [{ extract: { key: `one/${name}` } }],
    ...spec,
  },
});

export const store = (bao: OpenBao, mount: string, more: object = {}, name = storeName): KubeObject => ({
  apiVersion: 'external-secrets.io/v1',
  kind: 'ClusterSecretStore',
  metadata: { name },
  spec: {
    provider: {
      vault: {
        ...{ server: bao.url, path: mount, version: 'v2' },
        auth: { tokenSecretRef: { name: 'openbao', key: 'token', namespace: 'default' } },
      },
    },
    ...more,
  },
});

async function setUpCluster(
  client: KubeClient,
  bao: OpenBao,
  { mount, readerToken }: KvSetUp,
): Promise<void> {
  for (const crd of await loadCrds(foreignCrds)) await client.create(crds, crd);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'openbao', namespace: 'default' },
    data: { token: Buffer.from(readerToken).toString('base64') },
  });
  await client.create(clusterSecretStores, store(bao, mount));
}
