import { builtins, initialNamespaces } from './builtins.ts';
import { ContentDeletion } from './content-deletion.ts';
import { decode } from './decode.ts';
import { readDefinition } from './definition.ts';
import { GarbageCollector } from './garbage-collector.ts';
import { ObjectLifecycle } from './lifecycle.ts';
import { ResourceTypes } from './resource-type.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { ObjectStore, type Change } from './store.ts';
import { WatchHistory } from './watch-history.ts';

/** What the request handlers work on. */
export interface ApiState {
  readonly store: ObjectStore;
  readonly types: ResourceTypes;
  readonly lifecycle: ObjectLifecycle;
  readonly history: WatchHistory;
  readonly tokens: ServiceAccountTokens;
  readonly shortestTokenSeconds: number;
  /** Stops the controllers. */
  stop(): void;
}

interface StateOptions {
  readonly watchHistory?: number;
  readonly shortestTokenSeconds?: number;
  readonly contentPauseMs: () => number;
}

/** An empty cluster with its controllers running; remembers `watchHistory` changes for watches. */
export function createState(options: StateOptions): ApiState {
  const { watchHistory = 10_000, shortestTokenSeconds = 600, contentPauseMs } = options;
  const store = new ObjectStore();
  const types = new ResourceTypes();
  for (const type of builtins) types.register(type);
  // First of all listeners: whoever hears of a new definition can use it.
  store.subscribe((change) => followDefinitions(change, types));
  const lifecycle = new ObjectLifecycle(store, types);
  const controllers = [
    new GarbageCollector(store, types, lifecycle),
    new ContentDeletion({ store, types, lifecycle, pauseMs: contentPauseMs }),
  ];
  createNamespaces(types, lifecycle);
  const history = new WatchHistory(store, watchHistory);
  const accounts = types.get({ group: '', plural: 'serviceaccounts' });
  const tokens = new ServiceAccountTokens((namespace, name) =>
    accounts === undefined ? undefined : store.get(accounts, namespace, name),
  );
  const stop = (): void => controllers.forEach((each) => each.stop());
  return { store, types, lifecycle, history, tokens, shortestTokenSeconds, stop };
}

function followDefinitions({ event, object }: Change, types: ResourceTypes): void {
  if (object.kind !== 'CustomResourceDefinition') return;
  const type = readDefinition(object);
  if (event === 'DELETED') types.remove(type);
  else types.register(type);
}

function createNamespaces(types: ResourceTypes, lifecycle: ObjectLifecycle): void {
  const type = types.get({ group: '', plural: 'namespaces' });
  if (type === undefined) return;
  const endpoint = { type, version: 'v1' };
  const writer = { manager: 'kube-apiserver', subresource: '' };
  for (const name of initialNamespaces)
    lifecycle.create(endpoint, decode({ metadata: { name } }, endpoint).object, undefined, writer);
}
