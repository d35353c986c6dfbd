import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { setUpHookAccess } from '../world/hook-access.ts';
import { HookProcess } from '../world/hook-process.ts';
import { compositeControllers, namespaces } from '../world/kubernetes/resources.ts';
import { controllersFor } from '../world/metacontroller/controllers-for.ts';
import { FaultInjector } from '../world/metacontroller/faults.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { startMetacontroller } from '../world/metacontroller/metacontroller.ts';
import { installation, operatorNamespace } from '../world/names.ts';
import { operatorRole } from '../world/operator-login.ts';
import { ProjectedToken } from '../world/projected-token.ts';
import { openBaoAudience, setUpKubernetesAuth, writeRole } from '../world/servers/kubernetes-auth.ts';
import { platformObjects } from '../world/platform-objects.ts';
import { startPlatformServers } from '../world/platform-servers.ts';
import { KvClient } from '../world/servers/kv.ts';
import type { World, WorldBuilder } from '../world/world.ts';
import { startApiEdge } from './api-edge.ts';
import { startControlPlane } from './control-plane.ts';
import { startExternalSecretsProcess } from './external-secrets-process.ts';
import { HookEdge } from './hook-edge.ts';
import { metacontrollerBinary, startMetacontrollerProcess } from './metacontroller-process.ts';
import { externalSecretsCrds, installControllerRights, installCrds, metacontrollerCrds } from './platform.ts';
import { mustRun } from './run-program.ts';
import { accessOf } from './service-account.ts';

/** The world with a real control plane, the real External Secrets and, where its binary is given, the real Metacontroller. */
export const buildRealWorld: WorldBuilder = async (options, atEnd) => {
  const say = (step: string): void => {
    options.signal?.throwIfAborted();
    options.onStep?.(step);
  };
  const folder = await mkdtemp(join(tmpdir(), 'pgtenancy-world-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const servers = await startPlatformServers(options, atEnd, say);
  const { openBao, kvSetUp, ca } = servers;

  say('control plane');
  const plane = await startControlPlane();
  atEnd(() => plane.close());
  await installCrds(plane, [...(await metacontrollerCrds()), ...(await externalSecretsCrds())]);
  await installControllerRights(plane);
  const kubectl = (...args: string[]) => mustRun('kubectl', args, { env: { KUBECONFIG: plane.kubeconfig } });
  await kubectl(
    'apply',
    '--server-side',
    '-f',
    'crds/',
    '-f',
    'examples/install/rbac.yaml',
    '-f',
    'metacontroller/rbac.yaml',
  );
  await plane.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  for (const { resource, object } of platformObjects(servers)) await plane.kube.create(resource, object);

  const edge = await startApiEdge(plane.api);
  atEnd(() => edge.close());
  const viaEdge = { url: edge.url, ca: plane.api.ca };
  const eso = await startExternalSecretsProcess(
    folder,
    await accessOf(plane.kube, viaEdge, { namespace: 'external-secrets', name: 'external-secrets' }),
  );
  atEnd(() => eso.stop());

  say('the operator');
  const reviewer = await accessOf(plane.kube, plane.admin, { namespace: 'openbao', name: 'openbao' });
  await setUpKubernetesAuth(openBao, {
    host: plane.api.url,
    ca: plane.api.ca,
    reviewerToken: reviewer.token ?? '',
  });
  await writeRole(openBao, {
    name: operatorRole,
    serviceAccount: 'postgresql-tenant-operator',
    namespace: operatorNamespace,
    policies: [kvSetUp.operatorPolicy],
  });
  const projectedToken = await ProjectedToken.start({
    kube: plane.kube,
    namespace: operatorNamespace,
    serviceAccount: 'postgresql-tenant-operator',
    audience: openBaoAudience,
    file: join(folder, 'openbao-token'),
  });
  atEnd(() => projectedToken.stop());
  await writeFile(join(folder, 'pg-ca.crt'), ca);
  await writeFile(join(folder, 'api-ca.crt'), plane.api.ca);
  const operator = await accessOf(plane.kube, viaEdge, {
    namespace: operatorNamespace,
    name: 'postgresql-tenant-operator',
  });
  await writeFile(join(folder, 'api-token'), operator.token ?? '');
  const hookAccess = await setUpHookAccess({
    openBao,
    kube: plane.kube,
    folder,
    namespace: operatorNamespace,
  });
  const hookEnv: Record<string, string> = {
    LOG_LEVEL: 'info',
    INSTALLATION: installation,
    OPERATOR_NAMESPACE: operatorNamespace,
    KUBERNETES_URL: edge.url,
    KUBERNETES_CA_FILE: join(folder, 'api-ca.crt'),
    KUBERNETES_TOKEN_FILE: join(folder, 'api-token'),
    OPENBAO_ADDRESS: openBao.url,
    OPENBAO_EXTERNAL_ADDRESS: 'https://openbao.example.internal:8200',
    OPENBAO_MOUNT: kvSetUp.mount,
    SECRET_STORE_NAME: 'postgresql-tenants',
    POSTGRES_CA_FILE: join(folder, 'pg-ca.crt'),
    CHECK_INTERVAL_SECONDS_MIN: '5',
    CHECK_INTERVAL_SECONDS_MAX: '10',
    RESYNC_SECONDS: '5',
    DRAIN_SECONDS: '0',
    OPENBAO_AUTH: 'kubernetes',
    OPENBAO_ROLE: operatorRole,
    OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE: join(folder, 'openbao-token'),
    ...hookAccess.env,
    HOOK_AUTHENTICATION: 'none',
    ...options.env,
  };
  delete hookEnv['HOOK_TOKEN_FILE'];
  const hook = await HookProcess.start(hookEnv, options.onHookLine);
  atEnd(() => hook.stop());

  say('Metacontroller');
  const mcAccount = { namespace: 'metacontroller', name: 'metacontroller' };
  const onCall = (call: HookCall): void => options.onCall?.(call);
  const binary = metacontrollerBinary();
  let target = hook.url;
  let metacontroller: Pick<World['metacontroller'], 'faults'>;
  let entry: string;
  if (binary === undefined) {
    const standIn = await startMetacontroller({
      api: await accessOf(plane.kube, viaEdge, mcAccount),
      maxBackoffMs: 2_000,
      onCall,
    });
    atEnd(() => standIn.stop());
    metacontroller = standIn;
    entry = '';
  } else {
    const injector = new FaultInjector();
    const writes = await startApiEdge(plane.api, (method, path) => lost(injector, method, path));
    atEnd(() => writes.close());
    const access = await accessOf(plane.kube, { url: writes.url, ca: plane.api.ca }, mcAccount);
    const process = await startMetacontrollerProcess(binary, folder, access, 'dynamic-apply');
    atEnd(() => process.stop());
    const hookEdge = await HookEdge.start({
      certificate: hookAccess.certificate,
      target: () => target,
      faults: injector,
      onCall,
    });
    atEnd(() => hookEdge.close());
    metacontroller = injector;
    entry = hookEdge.url;
  }
  const callHookAt = async (url: string): Promise<void> => {
    target = url;
    for (const controller of controllersFor(entry === '' ? url : entry, {
      caBundle: hookAccess.certificate.ca,
    }))
      await plane.kube.apply(compositeControllers, controller);
  };
  await callHookAt(hook.url);
  const kv = new KvClient(openBao.root, kvSetUp.mount);
  const api = {
    url: edge.url,
    faults: edge.faults,
    get audit() {
      return plane.audit();
    },
  };
  return {
    ...{
      api,
      kube: plane.kube,
      openBao,
      kv,
      kvSetUp,
      metacontroller,
      hook,
      ca,
      hookEnv,
      callHookAt,
      hookAccess,
    },
    ...{ postgres: servers.postgres, management: servers.management, projectedToken },
  };
};

function lost(injector: FaultInjector, method: string, path: string): boolean {
  try {
    if (method === 'GET') return false;
    if (path.includes('/status')) injector.beforeStatusWrite();
    else if (path.includes('/externalsecrets')) injector.beforeChildWrite();
    return false;
  } catch {
    return true;
  }
}
