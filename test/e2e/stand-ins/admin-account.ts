import type { ControlPlane } from '../../control-plane/control-plane.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import type { ApiAccess } from '../../world/kubernetes/client.ts';
import { namespaces, serviceAccounts } from '../../world/kubernetes/resources.ts';

const clusterRoleBindings = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' },
};

export interface Account {
  readonly access: ApiAccess;
  /** What the audit log calls it. */
  readonly user: string;
}

/** A ServiceAccount that may do everything, with a namespace of its own: what rights suffice is not the question here. */
export async function adminAccount(plane: ControlPlane, name: string): Promise<Account> {
  const { kube, admin } = plane;
  await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { name, namespace: name };
  await kube.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await kube.create(clusterRoleBindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  return { access: await accessOf(kube, admin, account), user: `system:serviceaccount:${name}:${name}` };
}
