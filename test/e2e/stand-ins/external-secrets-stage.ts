import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { startExternalSecretsProcess } from '../../control-plane/external-secrets-process.ts';
import { externalSecretsCrds, installCrds } from '../../control-plane/platform.ts';
import { startExternalSecrets } from '../../world/external-secrets/external-secrets.ts';
import { store } from '../../world/external-secrets/trial.ts';
import type { ApiAccess, KubeClient } from '../../world/kubernetes/client.ts';
import { clusterSecretStores, namespaces, secrets } from '../../world/kubernetes/resources.ts';
import { KvClient, setUpKv } from '../../world/servers/kv.ts';
import { type OpenBao, startOpenBao } from '../../world/servers/openbao.ts';
import { closable } from '../../world/servers/closable.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { adminAccount } from './admin-account.ts';

/** External Secrets, real or not, at a real API server, with stores on a real OpenBao. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly kube: KubeClient;
  readonly kv: KvClient;
  readonly user: string;
  close(): Promise<void>;
}

export type Which = 'real' | 'stand-in';

/** Stores: `tenants` works, `refused` has a token that OpenBao does not know, `closed` is for another namespace. */
export const startStage = (which: Which): Promise<Stage> =>
  closable(async (atEnd) => {
    const plane = await startControlPlane({ controllersLater: true });
    atEnd(() => plane.close());
    const bao = await startOpenBao({ mode: 'dev' });
    atEnd(() => bao.close());
    const kv = await prepare(plane, bao);
    const { access, user } = await adminAccount(plane, 'external-secrets');
    const running = await start(which, plane.folder, access);
    atEnd(() => running.stop());
    await waitFor('the stores to be looked at', () => areLookedAt(plane.kube), { timeoutMs: 60_000 });
    return { plane, kube: plane.kube, kv, user };
  });

/** As the flags of the real process have it: stores are tried again every 5 s. */
const start = (which: Which, folder: string, access: ApiAccess): Promise<{ stop(): Promise<void> }> =>
  which === 'real'
    ? startExternalSecretsProcess(folder, access)
    : startExternalSecrets({ api: access, cleanupFinalizer: false, storeRequeueMs: 5_000 });

async function prepare(plane: ControlPlane, bao: OpenBao): Promise<KvClient> {
  const { kube } = plane;
  await installCrds(plane, await externalSecretsCrds());
  // Its garbage collector knows these kinds from the start, and not half a minute later.
  await plane.startControllers();
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const { mount, readerToken } = await setUpKv(bao, { installation: 'one' });
  for (const [name, token] of Object.entries({ openbao: readerToken, refused: 'nobody' }))
    await kube.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      stringData: { token },
    });
  await kube.create(clusterSecretStores, store(bao, mount));
  await kube.create(
    clusterSecretStores,
    store(bao, mount, { conditions: [{ namespaces: ['elsewhere'] }] }, 'closed'),
  );
  const refused = store(bao, mount, {}, 'refused');
  const text = JSON.stringify(refused).replace('"name":"openbao"', '"name":"refused"');
  await kube.create(clusterSecretStores, JSON.parse(text) as typeof refused);
  return new KvClient(bao.root, mount);
}

const areLookedAt = async (kube: KubeClient): Promise<boolean> => {
  const { items } = await kube.list(clusterSecretStores);
  return items.every(({ status }) => status !== undefined);
};
