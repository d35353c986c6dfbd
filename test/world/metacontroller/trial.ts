import { type KubernetesApi, startKubernetesApi } from '../kubernetes/api.ts';
import { KubeClient } from '../kubernetes/client.ts';
import { foreignCrds, loadCrds } from '../kubernetes/manifests.ts';
import { compositeControllers, crds, namespaces } from '../kubernetes/resources.ts';
import { type Metacontroller, type MetacontrollerOptions, startMetacontroller } from './metacontroller.ts';
import { startTrialHook, type TrialHook } from './trial-hook.ts';
import { thingController, trialCrds } from './trial-kinds.ts';

export interface Trial {
  api: KubernetesApi;
  client: KubeClient;
  hook: TrialHook;
  metacontroller: Metacontroller;
}

interface TrialOptions extends Partial<Omit<MetacontrollerOptions, 'api'>> {
  /** Changes to the spec of the controller of Things. */
  controller?: Record<string, unknown>;
  /** Set up before Metacontroller starts. */
  before?: (trial: { client: KubeClient; hook: TrialHook }) => Promise<void>;
  /** There is no CompositeController, so nothing but the test touches anything. */
  idle?: boolean;
  /** PEM: the hook speaks TLS. Known once the test runs. */
  tls?: () => { cert: string; key: string };
  /** The test stops Metacontroller itself. */
  stopsItself?: boolean;
}

/** A Kubernetes API, a hook and Metacontroller for one test; all of it is gone afterwards, however the test ends. */
export const withTrial =
  (run: (trial: Trial) => Promise<void>, options: TrialOptions = {}) =>
  async (): Promise<void> => {
    const api = await startKubernetesApi();
    const hook = await startTrialHook(options.tls?.());
    const client = new KubeClient(api);
    let metacontroller: Metacontroller | undefined;
    try {
      await prepare(client, hook, options.controller);
      if (options.idle === true) await client.delete(compositeControllers, 'thing-controller');
      await options.before?.({ client, hook });
      metacontroller = await startMetacontroller({ maxBackoffMs: 200, ...options, api });
      await run({ api, client, hook, metacontroller });
    } finally {
      if (options.stopsItself !== true) await metacontroller?.stop();
      await hook.stop();
      await api.close();
    }
  };

/** What a cluster has before Metacontroller starts: the kinds, a namespace, the controller of Things. */
export const prepare = async (
  client: KubeClient,
  hook: TrialHook,
  controller: Record<string, unknown> = {},
): Promise<void> => {
  const foreign = await loadCrds(
    foreignCrds.filter((file) => file.href.endsWith('compositecontrollers.yaml')),
  );
  for (const crd of [...foreign, ...trialCrds]) await client.create(crds, crd);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await client.create(compositeControllers, thingController(hook.url, controller));
};
