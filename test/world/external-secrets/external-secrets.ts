import { type ApiAccess, KubeClient, type KubeObject, type Resource } from '../kubernetes/client.ts';
import { clusterSecretStores, externalSecrets, secrets } from '../kubernetes/resources.ts';
import { Informer } from '../metacontroller/informer.ts';
import { WorkQueue } from '../metacontroller/work-queue.ts';
import { waitFor } from '../servers/wait-for.ts';
import { reconcile } from './external-secret-controller.ts';
import { targetNameOf } from './external-secret.ts';
import { managedLabel } from './refresh.ts';
import { RetryDelays } from './retry-delays.ts';
import { validateStore } from './store-controller.ts';

export interface ExternalSecretsOptions {
  readonly api: ApiAccess;
  /** Put the finalizer on every ExternalSecret, as External Secrets does since 0.20; default true. */
  readonly cleanupFinalizer?: boolean;
  /** The longest wait after failures, which begin at 1 s; default 7 minutes. */
  readonly maxBackoffMs?: number;
  /** How often a store that is Ready is tried again; default 5 minutes. */
  readonly storeRequeueMs?: number;
}

/**
 * Starts a stand-in for External Secrets 2.9: ExternalSecrets and ClusterSecretStores on KV v2 with a token.
 * @throws Error when the kinds cannot be listed within 30 s
 */
export async function startExternalSecrets(options: ExternalSecretsOptions): Promise<ExternalSecrets> {
  const controller = new ExternalSecrets(options);
  try {
    await controller.start();
  } catch (error) {
    await controller.stop();
    throw error;
  }
  return controller;
}

const informerFor = (client: KubeClient, resource: Resource, kind: string, namespaced: boolean): Informer => {
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  return new Informer(client, { resource, apiVersion, kind, namespaced, hasStatus: resource.group !== '' });
};

export class ExternalSecrets {
  readonly #client: KubeClient;
  readonly #withFinalizer: boolean;
  readonly #storeRequeueMs: number;
  readonly #delays: RetryDelays;
  readonly #queue: WorkQueue;
  readonly #externalSecrets: Informer;
  readonly #stores: Informer;
  readonly #secrets: Informer;
  #fetches = 0;
  #paused = false;

  constructor(options: ExternalSecretsOptions) {
    this.#client = new KubeClient(options.api);
    this.#withFinalizer = options.cleanupFinalizer ?? true;
    this.#storeRequeueMs = options.storeRequeueMs ?? 5 * 60_000;
    const maxBackoffMs = options.maxBackoffMs ?? 7 * 60_000;
    this.#delays = new RetryDelays(maxBackoffMs);
    this.#queue = new WorkQueue({ workers: 4, maxBackoffMs, work: (key) => this.#work(key) });
    this.#externalSecrets = informerFor(this.#client, externalSecrets, 'ExternalSecret', true);
    this.#stores = informerFor(this.#client, clusterSecretStores, 'ClusterSecretStore', false);
    this.#secrets = informerFor(this.#client, secrets, 'Secret', true);
  }

  /** How often a record was read from OpenBao, in vain or not. */
  get fetches(): number {
    return this.#fetches;
  }

  /** While true nothing is done, as if it were down; afterwards everything is looked at, as after a start. */
  get paused(): boolean {
    return this.#paused;
  }

  set paused(value: boolean) {
    if (value === this.#paused) return;
    this.#paused = value;
    if (!value) this.#lookAtEverything();
  }

  async start(): Promise<void> {
    const all = [this.#stores, this.#externalSecrets, this.#secrets];
    await waitFor('the first lists', () => all.every(({ synced }) => synced), { timeoutMs: 30_000 });
    this.#stores.subscribe(this.#onChange(storeKey));
    this.#externalSecrets.subscribe(this.#onChange(externalSecretKey));
    this.#secrets.subscribe((previous, current) => this.#onSecret(previous, current));
    this.#queue.start();
    this.#lookAtEverything();
  }

  async stop(): Promise<void> {
    const all = [this.#stores, this.#externalSecrets, this.#secrets];
    await Promise.all([this.#queue.shutDown(), ...all.map((informer) => informer.stop())]);
  }

  #lookAtEverything(): void {
    this.#delays.forgetAll();
    for (const object of this.#stores.list()) this.#queue.add(storeKey(object));
    for (const object of this.#externalSecrets.list()) this.#queue.add(externalSecretKey(object));
  }

  async #work(key: string): Promise<void> {
    if (this.#paused) return;
    try {
      const again = await this.#reconcile(key);
      this.#delays.forget(key);
      if (again !== undefined) this.#queue.addAfter(key, Math.min(again, longestTimerMs));
    } catch {
      this.#queue.addAfter(key, this.#delays.next(key));
    }
  }

  async #reconcile(key: string): Promise<number | undefined> {
    const [kind = '', first = '', second = ''] = key.split('/');
    if (kind === 'store') {
      if (await validateStore(this.#client, first)) return this.#storeRequeueMs;
      throw new Error(`store ${first} is not valid`);
    }
    const world = {
      client: this.#client,
      withFinalizer: this.#withFinalizer,
      onFetch: () => void (this.#fetches += 1),
      cachedSecrets: (namespace: string) => this.#secrets.list(namespace),
    };
    return (await reconcile(world, { namespace: first, name: second })).again;
  }

  #onChange(keyOf: (object: KubeObject) => string) {
    return (previous?: KubeObject, current?: KubeObject): Promise<void> => {
      if (current !== undefined && (previous === undefined || trigger(previous) !== trigger(current))) {
        this.#queue.add(keyOf(current));
      }
      return Promise.resolve();
    };
  }

  /** Only labelled Secrets are watched, so one that loses the label seems to be deleted. */
  #onSecret(previous?: KubeObject, current?: KubeObject): Promise<void> {
    const secret = [current, previous].find((one) => one?.metadata.labels?.[managedLabel] === 'true');
    const isSame = previous?.metadata.resourceVersion === current?.metadata.resourceVersion;
    if (secret === undefined || isSame) return Promise.resolve();
    const { name, namespace } = secret.metadata;
    for (const object of this.#externalSecrets.list(namespace)) {
      if (targetNameOf(object) === name) this.#queue.add(externalSecretKey(object));
    }
    return Promise.resolve();
  }
}

/** setTimeout fires at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

const storeKey = ({ metadata }: KubeObject): string => `store/${metadata.name}`;
const externalSecretKey = ({ metadata }: KubeObject): string =>
  `external-secret/${metadata.namespace ?? ''}/${metadata.name}`;

/** What wakes the controllers; a change of the status alone does not. */
const trigger = ({ metadata }: KubeObject): string =>
  JSON.stringify([
    ...[metadata.uid, metadata.generation, metadata.labels, metadata.annotations],
    ...[metadata.finalizers, metadata.deletionTimestamp],
  ]);
