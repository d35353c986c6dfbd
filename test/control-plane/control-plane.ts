import { rm } from 'node:fs/promises';

import { type ApiAccess, KubeClient } from '../world/kubernetes/client.ts';
import { readAuditLog, type UserAuditEntry } from './audit-log.ts';
import { startControllerManager } from './controller-manager.ts';
import { startEtcd } from './etcd.ts';
import { type KubeApiserver, type KubeApiserverOptions, startKubeApiserver } from './kube-apiserver.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { temporaryFolder } from '../world/servers/temporary-folder.ts';

/** A real Kubernetes control plane on loopback, without nodes. */
export interface ControlPlane {
  readonly api: KubeApiserver;
  /** As cluster admin: for arranging and looking, never for the code under test. */
  readonly admin: ApiAccess;
  readonly kube: KubeClient;
  /** For kubectl and helm, as cluster admin. */
  readonly kubeconfig: string;
  /** For files that go with it. */
  readonly folder: string;
  /** Every write request so far, but those of the control plane itself. */
  audit(): UserAuditEntry[];
  /** Once, where it was left for later. */
  startControllers(): Promise<void>;
  close(): Promise<void>;
}

interface ControlPlaneOptions extends KubeApiserverOptions {
  /**
   * kube-controller-manager comes when it is asked for: the kinds that are there by then its garbage collector knows from
   * its start, others up to 30 s later.
   */
  readonly controllersLater?: boolean;
}

/** etcd, kube-apiserver and kube-controller-manager; what was started is ended again when one of them fails. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const folder = await temporaryFolder('plane');
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const end of ends.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'the control plane did not end in order');
  };
  try {
    const etcd = await startEtcd(folder);
    ends.push(etcd.close);
    const api = await startKubeApiserver(folder, etcd, options);
    ends.push(api.close);
    const startControllers = async (): Promise<void> => {
      const manager = await startControllerManager(folder, api);
      ends.push(manager.close);
    };
    if (options.controllersLater !== true) await startControllers();
    const admin = { url: api.url, ca: api.ca, token: api.adminToken };
    return {
      ...{ api, admin, folder, close, startControllers },
      kube: new KubeClient(admin),
      kubeconfig: await writeKubeconfig(`${folder}/admin.kubeconfig`, admin),
      audit: () => readAuditLog(api.auditFile),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
