import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startExternalSecrets } from './external-secrets/external-secrets.ts';
import { setUpHookAccess } from './hook-access.ts';
import { HookProcess } from './hook-process.ts';
import { startKubernetesApi, type KubernetesApi } from './kubernetes/api.ts';
import { KubeClient, type KubeObject } from './kubernetes/client.ts';
import { foreignCrds, loadCrds } from './kubernetes/manifests.ts';
import { compositeControllers, crds, namespaces } from './kubernetes/resources.ts';
import { controllersFor } from './metacontroller/controllers-for.ts';
import { startRestartable } from './metacontroller/restartable.ts';
import { installation, operatorNamespace } from './names.ts';
import { setUpOperatorLogin } from './operator-login.ts';
import { platformObjects } from './platform-objects.ts';
import { startPlatformServers } from './platform-servers.ts';
import { KvClient, type KvSetUp } from './servers/kv.ts';
import type { OpenBao } from './servers/openbao.ts';
import type { WorldBuilder } from './world.ts';
import { temporaryFolder } from './servers/temporary-folder.ts';

/** The world with stand-ins for the Kubernetes API, Metacontroller and External Secrets. */
export const buildStandInWorld: WorldBuilder = async (options, atEnd) => {
  const say = (step: string): void => {
    options.signal?.throwIfAborted();
    options.onStep?.(step);
  };
  const folder = await temporaryFolder('world');
  atEnd(() => rm(folder, { recursive: true, force: true }));

  const warm = HookProcess.warm();
  atEnd(() => warm);
  const servers = await startPlatformServers(options, atEnd, say);
  const { openBao, kvSetUp, ca } = servers;

  say('Kubernetes API');
  const api = await startKubernetesApi();
  atEnd(() => api.close());
  const kube = new KubeClient({ url: api.url });
  for (const crd of await loadCrds([...foreignCrds, ...ownCrds])) await kube.create(crds, crd);
  for (const name of [operatorNamespace, 'external-secrets', 'shop'])
    await kube.create(namespaces, namespace(name));
  for (const { resource, object } of platformObjects(servers)) await kube.create(resource, object);

  say('External Secrets');
  const externalSecrets = await startExternalSecrets({
    api: { url: api.url },
    cleanupFinalizer: options.cleanupFinalizer ?? true,
    maxBackoffMs: 2_000,
    storeRequeueMs: 2_000,
  });
  atEnd(() => externalSecrets.stop());

  say('the operator');
  const login = await setUpOperatorLogin({ openBao, api, kube, ca, kvSetUp, folder });
  atEnd(() => login.token.stop());
  await writeFile(join(folder, 'ca.crt'), ca);
  const hookAccess = await setUpHookAccess({ openBao, kube, folder, namespace: operatorNamespace });
  const hookEnv = {
    ...hookVariables(folder, api, openBao, kvSetUp),
    ...{ ...login.env, ...hookAccess.env, ...options.env },
  };
  await warm;
  const hook = await HookProcess.start(hookEnv, options.onHookLine);
  atEnd(() => hook.stop());

  say('Metacontroller');
  const metacontroller = await startRestartable({
    api: { url: api.url },
    maxBackoffMs: 2_000,
    ...(options.onCall === undefined ? {} : { onCall: options.onCall }),
  });
  atEnd(() => metacontroller.stop());
  const startReplica = async (): Promise<HookProcess> => {
    const replica = await HookProcess.start(hookEnv);
    atEnd(() => replica.stop());
    return replica;
  };
  const callHookAt = (url: string): Promise<void> =>
    applyControllers(kube, controllersFor(url, hookAccess.controllers));
  await callHookAt(hook.url);
  options.signal?.throwIfAborted();
  const kv = new KvClient(openBao.root, kvSetUp.mount);
  return {
    ...{ api, kube, openBao, kv, kvSetUp, metacontroller, hook, ca, callHookAt, hookAccess, startReplica },
    ...{ postgres: servers.postgres, management: servers.management, openBaoTokens: login.token },
  };
};

const ownCrds = ['postgresqlinstances', 'postgresqltenants'].map(
  (name) => new URL(`../../crds/${name}.yaml`, import.meta.url),
);

/** Creates them, or gives those that are there another spec. */
async function applyControllers(kube: KubeClient, controllers: readonly KubeObject[]): Promise<void> {
  for (const controller of controllers) await kube.apply(compositeControllers, controller);
}

const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

const hookVariables = (folder: string, api: KubernetesApi, openBao: OpenBao, kv: KvSetUp) => ({
  LOG_LEVEL: 'info',
  INSTALLATION: installation,
  OPERATOR_NAMESPACE: operatorNamespace,
  KUBERNETES_URL: api.url,
  OPENBAO_ADDRESS: openBao.url,
  OPENBAO_EXTERNAL_ADDRESS: 'https://openbao.example.internal:8200',
  OPENBAO_MOUNT: kv.mount,
  SECRET_STORE_NAME: 'postgresql-tenants',
  POSTGRES_CA_FILE: join(folder, 'ca.crt'),
  CHECK_INTERVAL_SECONDS_MIN: '5',
  CHECK_INTERVAL_SECONDS_MAX: '10',
  RESYNC_SECONDS: '5',
  DRAIN_SECONDS: '0',
});
