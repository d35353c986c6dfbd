import { rm } from 'node:fs/promises';

import { imageFolder } from '../image/image-folder.ts';
import { accessTo } from '../world/hook-access.ts';
import { externalSecrets, namespaces, tenants } from '../world/kubernetes/resources.ts';
import { operatorNamespace } from '../world/names.ts';
import { letOperatorIn } from '../world/operator-login.ts';
import { platformObjects } from '../world/platform-objects.ts';
import { startPlatformServers } from '../world/platform-servers.ts';
import type { AtEnd } from '../world/servers/closable.ts';
import { freePort } from '../world/servers/free-port.ts';
import { KvClient } from '../world/servers/kv.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { WorldBuilder } from '../world/world.ts';
import { startApiEdge } from './api-edge.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { startExternalSecretsProcess } from './external-secrets-process.ts';
import { startRealCaller, startStandInCaller } from './hook-caller.ts';
import { metacontrollerBinary } from './metacontroller-process.ts';
import {
  generatedCertificate,
  installOperator,
  operatorTemplate,
  releaseValues,
} from './operator-release.ts';
import {
  externalSecretsCrds,
  installControllerRights,
  installCrds,
  metacontrollerCrds,
  untilRightsGathered,
} from './platform.ts';
import { type RunningPod, runPod } from './pod-runner/run-pod.ts';
import { accessOf } from './service-account.ts';
import { temporaryFolder } from '../world/servers/temporary-folder.ts';

/**
 * The world with a real control plane, the real External Secrets and, where its binary is given, the real Metacontroller.
 * Rights, configuration and controllers are those of the chart, which Helm installs; each of the three controllers runs
 * with the token of its ServiceAccount.
 */
export const buildRealWorld: WorldBuilder = async (options, atEnd) => {
  const say = (step: string): void => {
    options.signal?.throwIfAborted();
    options.onStep?.(step);
  };
  const folder = await temporaryFolder('world');
  atEnd(() => rm(folder, { recursive: true, force: true }));
  say('Kubernetes, OpenBao, PostgreSQL');
  const [image, servers, plane] = await allOf(
    imageFolder(),
    startPlatformServers(options, atEnd, () => undefined),
    startPlane(atEnd),
  );
  const edge = await startApiEdge(plane.api);
  atEnd(() => edge.close());
  const viaEdge = { url: edge.url, ca: plane.api.ca };

  say('External Secrets');
  const reader = await accessOf(plane.kube, viaEdge, {
    namespace: 'external-secrets',
    name: 'external-secrets',
  });
  const externalSecrets = await startExternalSecretsProcess(folder, reader);
  atEnd(() => externalSecrets.stop());
  await plane.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const { resource, object } of platformObjects(servers)) await plane.kube.create(resource, object);

  say('the operator');
  await letOperatorIn({ ...servers, kube: plane.kube, host: plane.api.url, ca: plane.api.ca });
  const port = await freePort();
  await installOperator(plane, {
    ...releaseValues(servers, `https://127.0.0.1:${port}`),
    kubernetesApi: { url: edge.url },
    // Times that no test has to wait for.
    reconcile: { resyncSeconds: 5, loginCheckSeconds: { min: 5, max: 10 } },
  });
  await plane.startControllers();
  await untilRightsGathered(plane.kube);
  const certificate = await generatedCertificate(plane);
  const binary = metacontrollerBinary();
  const template = await operatorTemplate(plane);
  const startPod = async (overrides: Readonly<Record<string, string>>): Promise<RunningPod> => {
    const { onHookLine } = options;
    const pod = await runPod({
      ...{ template, namespace: operatorNamespace, image, kube: plane.kube },
      overrides: { ...options.env, ...overrides },
      ...(onHookLine === undefined ? {} : { onLine: onHookLine }),
    });
    atEnd(() => pod.close());
    return pod;
  };
  const { hook, volumes } = await startPod(binary === undefined ? { PORT: String(port) } : {});

  say('Metacontroller');
  const start = binary === undefined ? startStandInCaller : startRealCaller.bind(undefined, binary);
  const metacontroller = await start({
    ...{ plane, folder, api: viaEdge, port, hookUrl: hook.url, certificate, atEnd },
    strategy: options.applyStrategy ?? 'dynamic-apply',
    onCall: (call) => options.onCall?.(call),
  });
  const api = {
    ...{ url: edge.url, faults: edge.faults },
    get audit() {
      return plane.audit();
    },
  };
  return {
    ...{ api, hook, metacontroller, kube: plane.kube, kubeconfig: plane.kubeconfig },
    ...{ openBao: servers.openBao, kvSetUp: servers.kvSetUp, postgres: servers.postgres, ca: servers.ca },
    ...{ management: servers.management, hookAccess: accessTo(certificate), openBaoTokens: volumes },
    kv: new KvClient(servers.openBao.root, servers.kvSetUp.mount),
    callHookAt: (url) => metacontroller.callHookAt(url),
    restartExternalSecrets: () => externalSecrets.restart(),
    restartApiServer: () => restartApiServer(plane),
    startReplica: async () => (await startPod({})).hook,
  };
};

/** All of them, or the failure of one once the others have come to their end too: then `atEnd` knows of everything. */
async function allOf<A, B, C>(a: Promise<A>, b: Promise<B>, c: Promise<C>): Promise<[A, B, C]> {
  await Promise.allSettled([a, b, c]);
  return Promise.all([a, b, c]);
}

/** The control plane, with the kinds and the rights of Metacontroller and External Secrets. */
async function startPlane(atEnd: AtEnd): Promise<ControlPlane> {
  const plane = await startControlPlane({ controllersLater: true });
  atEnd(() => plane.close());
  await installCrds(plane, [...(await metacontrollerCrds()), ...(await externalSecretsCrds())]);
  await installControllerRights(plane);
  return plane;
}

/** What comes from CRDs is served a moment after everything else. */
async function restartApiServer({ api, kube }: ControlPlane): Promise<void> {
  await api.restart();
  const served = (): Promise<boolean> =>
    Promise.all([tenants, externalSecrets].map((kind) => kube.list(kind))).then(
      () => true,
      () => false,
    );
  await waitFor('the API server to serve all kinds again', served, { timeoutMs: 60_000 });
}
