import { rm } from 'node:fs/promises';

import { type ApiAccess, KubeClient } from '../world/kubernetes/client.ts';
import { readAuditLog, type UserAuditEntry } from './audit-log.ts';
import { startControllerManager } from './controller-manager.ts';
import { startEtcd } from './etcd.ts';
import { type KubeApiserver, type KubeApiserverOptions, startKubeApiserver } from './kube-apiserver.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { closable } from '../world/servers/closable.ts';
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
export const startControlPlane = (options: ControlPlaneOptions = {}): Promise<ControlPlane> =>
  closable(async (atEnd) => {
    const folder = await temporaryFolder('plane');
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const etcd = await startEtcd(folder);
    atEnd(etcd.close);
    const api = await startKubeApiserver(folder, etcd, options);
    atEnd(api.close);
    const startControllers = async (): Promise<void> => {
      const manager = await startControllerManager(folder, api);
      atEnd(manager.close);
    };
    if (options.controllersLater !== true) await startControllers();
    const admin = { url: api.url, ca: api.ca, token: api.adminToken };
    return {
      ...{ api, admin, folder, startControllers },
      kube: new KubeClient(admin),
      kubeconfig: await writeKubeconfig(`${folder}/admin.kubeconfig`, admin),
      audit: () => readAuditLog(api.auditFile),
    };
  });
