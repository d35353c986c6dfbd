import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

import { createKubernetesLogin, type KubernetesLoginOptions } from '../../src/openbao/kubernetes-login.ts';
import type { TokenSource } from '../../src/openbao/token-source.ts';
import type { CredentialStore } from '../../src/reconcile/ports.ts';
import { startKubernetesApi, type KubernetesApi } from '../world/kubernetes/api.ts';
import { KubeClient } from '../world/kubernetes/client.ts';
import { namespaces, serviceAccounts } from '../world/kubernetes/resources.ts';
import { ProjectedToken } from '../world/projected-token.ts';
import { openBaoAudience, setUpKubernetesAuth, writeRole } from '../world/servers/kubernetes-auth.ts';
import { setUpKv, type KvSetUp } from '../world/servers/kv.ts';
import { startOpenBao, type OpenBao } from '../world/servers/openbao.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { storeAt } from './example.ts';

export const operatorRole = 'pgtenancy-operator';
export const operatorAccount = { name: 'postgresql-tenant-operator', namespace: 'ops' } as const;

interface LoggingIn {
  readonly store: CredentialStore;
  readonly source: TokenSource;
}

/** A real OpenBao whose auth method asks the stand-in API, and a proxy before it that counts. Installation `prod`. */
export interface LoginWorld extends AsyncDisposable {
  readonly bao: OpenBao;
  readonly api: KubernetesApi;
  readonly kube: KubeClient;
  readonly kv: KvSetUp;
  readonly proxy: CuttingProxy;
  /** The operator's projected token, and where it is. */
  readonly projected: ProjectedToken;
  readonly tokenFile: string;
  /** What OpenBao forgets when a dev server restarts: mounts, policies, the role. */
  setUp(): Promise<KvSetUp>;
  /** The operator's client, through the proxy. */
  operator(options?: Partial<KubernetesLoginOptions>): LoggingIn;
  /** Logins that were sent so far. */
  logins(): number;
}

export async function startLoginWorld(options: { mode?: 'dev' | 'server' } = {}): Promise<LoginWorld> {
  const stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'openbao-login-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const tokenFile = join(folder, 'token');
  try {
    const bao = await startOpenBao({ mode: options.mode ?? 'dev' });
    stack.defer(() => bao.close());
    // Below zero: a test can have a token that expired long ago.
    const api = await startKubernetesApi({ shortestTokenSeconds: -3600 });
    stack.defer(() => api.close());
    const kube = new KubeClient({ url: api.url });
    for (const name of ['ops', 'openbao', 'shop']) await makeAccount(kube, name);
    const setUp = (): Promise<KvSetUp> => setUpOpenBao(bao, kube, api.url);
    const kv = await setUp();
    const proxy = stack.use(await startCuttingProxy(bao.url));
    const projected = await ProjectedToken.start({ ...projectionOf(kube), file: tokenFile });
    stack.defer(() => projected.stop());
    const operator: LoginWorld['operator'] = (more) => clientOf(proxy.url, tokenFile, more);
    const logins = (): number => proxy.seen.filter((line) => line.endsWith('/login')).length;
    const parts = { bao, api, kube, kv, proxy, projected, tokenFile, setUp, operator, logins };
    return { ...parts, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

const makeAccount = async (kube: KubeClient, namespace: string): Promise<void> => {
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const name = namespace === 'openbao' ? 'openbao' : operatorAccount.name;
  await kube.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace },
  });
};

const projectionOf = (kube: KubeClient) => ({
  kube,
  namespace: operatorAccount.namespace,
  serviceAccount: operatorAccount.name,
  audience: openBaoAudience,
});

async function setUpOpenBao(bao: OpenBao, kube: KubeClient, host: string): Promise<KvSetUp> {
  const kv = await setUpKv(bao, { installation: 'prod' });
  const reviewer = await kube.requestToken('openbao', 'openbao', { expirationSeconds: 3600 });
  const reviewerToken = String(reviewer.status?.['token']);
  await setUpKubernetesAuth(bao, { host, ca: rootCertificates[0] ?? '', reviewerToken });
  await writeRole(bao, {
    name: operatorRole,
    serviceAccount: operatorAccount.name,
    namespace: operatorAccount.namespace,
    policies: [kv.operatorPolicy],
  });
  return kv;
}

const clientOf = (
  address: string,
  tokenFile: string,
  more: Partial<KubernetesLoginOptions> = {},
): LoggingIn => {
  const source = createKubernetesLogin({
    ...{ address, tokenFile, role: operatorRole, mount: 'kubernetes', timeoutMs: 4_000 },
    ...more,
  });
  return { source, store: storeAt(address, '', { token: source }) };
};
