import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startExternalSecrets, type ExternalSecrets } from './external-secrets/external-secrets.ts';
import { type HookAccess, setUpHookAccess } from './hook-access.ts';
import { HookProcess } from './hook-process.ts';
import { startKubernetesApi, type KubernetesApi } from './kubernetes/api.ts';
import { KubeClient } from './kubernetes/client.ts';
import { foreignCrds, loadCrds } from './kubernetes/manifests.ts';
import { compositeControllers, crds, namespaces } from './kubernetes/resources.ts';
import { controllersFor } from './metacontroller/controllers-for.ts';
import {
  startMetacontroller,
  type Metacontroller,
  type MetacontrollerOptions,
} from './metacontroller/metacontroller.ts';
import { setUpOperatorLogin } from './operator-login.ts';
import { platformObjects } from './platform-objects.ts';
import type { ProjectedToken } from './projected-token.ts';
import { KvClient, setUpKv, type KvSetUp } from './servers/kv.ts';
import { startOpenBao, type OpenBao } from './servers/openbao.ts';
import {
  type ManagementRole,
  runAsSuperuser,
  setUpManagementRole,
  superuserLogin,
} from './servers/management-role.ts';
import { issueCertificate, setUpPki } from './servers/pki.ts';
import { startPostgres, type Postgres } from './servers/postgres.ts';

export const operatorNamespace = 'postgresql-tenant-operator';
export const installation = 'demo';
export const pgHost = 'pg-main.example.internal';

export interface WorldOptions {
  /** Variables of the hook, over those that the world sets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly openBao?: 'dev' | 'server';
  readonly cleanupFinalizer?: boolean;
  readonly onCall?: MetacontrollerOptions['onCall'];
  /** Each line that the hook writes, whole. */
  readonly onHookLine?: (line: string) => void;
  readonly onStep?: (what: string) => void;
  /** Given up at the next step when it aborts, also in the middle of starting. */
  readonly signal?: AbortSignal;
  /** Settings of PostgreSQL. */
  readonly postgres?: Readonly<Record<string, string>>;
  /** As whom the operator logs in to PostgreSQL; the recommended role when nothing is said. */
  readonly management?: 'recommended' | 'superuser';
}

/**
 * Everything around the operator, and the operator as its own process: real PostgreSQL whose certificate a real
 * OpenBao issued, stand-ins for the Kubernetes API, Metacontroller and External Secrets. All on loopback.
 */
export interface World {
  readonly api: KubernetesApi;
  readonly kube: KubeClient;
  readonly openBao: OpenBao;
  /** Tenants' records, as root. */
  readonly kv: KvClient;
  readonly kvSetUp: KvSetUp;
  readonly postgres: Postgres;
  /** The operator's login, which the platform's OpenBao record holds too. */
  readonly management: ManagementRole;
  readonly metacontroller: Metacontroller;
  readonly externalSecrets: ExternalSecrets;
  readonly hook: HookProcess;
  /** The service account token that the operator logs in to OpenBao with. */
  readonly projectedToken: ProjectedToken;
  /** PEM of the CA that signed PostgreSQL's certificate. */
  readonly ca: string;
  /** How the hook is reached. */
  readonly hookAccess: HookAccess;
  /** For one more replica of the hook. */
  readonly hookEnv: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

type Undo = () => Promise<unknown>;

/**
 * Starts the world; what was started is ended again when something fails on the way.
 * @throws whatever `options.signal` was aborted with
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const undo: Undo[] = [];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const end of undo.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be ended in order');
  };
  try {
    return { ...(await buildWorld(options, (end) => undo.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function buildWorld(options: WorldOptions, atEnd: (end: Undo) => void): Promise<Omit<World, 'close'>> {
  const say = (step: string): void => {
    options.signal?.throwIfAborted();
    options.onStep?.(step);
  };
  const folder = await mkdtemp(join(tmpdir(), 'pgtenancy-world-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));

  const warm = HookProcess.warm();
  atEnd(() => warm);
  say('OpenBao');
  const openBao = await startOpenBao({ mode: options.openBao ?? 'dev' });
  atEnd(() => openBao.close());
  const kvSetUp = await setUpKv(openBao, { installation });
  const platform = await setUpKv(openBao, { mount: 'platform', installation: 'management' });
  const { ca } = await setUpPki(openBao, { commonName: 'Example internal CA' });

  say('PostgreSQL');
  const tls = await issueCertificate(openBao, {
    commonName: pgHost,
    dnsNames: [pgHost],
    ipAddresses: ['127.0.0.1'],
  });
  const postgres = await startPostgres({ tls, settings: options.postgres ?? {} });
  atEnd(() => postgres.close());
  const management = await managementOf(postgres, ca, options.management);
  const { username, password } = management;
  await new KvClient(openBao.root, platform.mount).write('management/pg-main', { username, password }, 0);

  say('Kubernetes API');
  const api = await startKubernetesApi();
  atEnd(() => api.close());
  const kube = new KubeClient({ url: api.url });
  for (const crd of await loadCrds([...foreignCrds, ...ownCrds])) await kube.create(crds, crd);
  for (const name of [operatorNamespace, 'external-secrets', 'shop'])
    await kube.create(namespaces, namespace(name));
  for (const { resource, object } of platformObjects({ openBao, kvSetUp, platform }))
    await kube.create(resource, object);

  say('External Secrets');
  const externalSecrets = await startExternalSecrets({
    api: { url: api.url },
    cleanupFinalizer: options.cleanupFinalizer ?? true,
    maxBackoffMs: 2_000,
    storeRequeueMs: 2_000,
  });
  atEnd(() => externalSecrets.stop());

  say('the operator');
  const login = await setUpOperatorLogin({
    ...{ openBao, api, kube, ca, folder },
    ...{ policy: kvSetUp.operatorPolicy, namespace: operatorNamespace },
  });
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
  const metacontroller = await startMetacontroller({
    api: { url: api.url },
    maxBackoffMs: 2_000,
    ...(options.onCall === undefined ? {} : { onCall: options.onCall }),
  });
  atEnd(() => metacontroller.stop());
  for (const controller of controllersFor(hook.url, hookAccess.controllers))
    await kube.create(compositeControllers, controller);
  options.signal?.throwIfAborted();
  const kv = new KvClient(openBao.root, kvSetUp.mount);
  return {
    ...{ api, kube, openBao, kv, kvSetUp, postgres, metacontroller, externalSecrets, hook, ca, hookEnv },
    projectedToken: login.token,
    hookAccess,
    management,
  };
}

/** Several Instances and replicas share the login in scenarios, so its limit of connections is put out of the way. */
async function managementOf(
  postgres: Postgres,
  ca: string,
  wanted: WorldOptions['management'] = 'recommended',
): Promise<ManagementRole> {
  if (wanted === 'superuser') return superuserLogin(postgres);
  const ssl = { ca, servername: pgHost };
  const management = await setUpManagementRole(postgres, ssl);
  await runAsSuperuser(postgres, ssl, [`alter role ${management.username} connection limit -1`]);
  return management;
}

const ownCrds = ['postgresqlinstances', 'postgresqltenants'].map(
  (name) => new URL(`../../crds/${name}.yaml`, import.meta.url),
);

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
