import type { KubeClient } from '../../world/kubernetes/client.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import type { GrantedRole } from './granted-roles.ts';
import { type Permission, textOf } from './permission.ts';

const reviews = { group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews' };

/** What the API server says about a ServiceAccount (`namespace:name`). */
export async function isAllowed(
  kube: KubeClient,
  account: string,
  { verb, group, resource: full }: Permission,
  namespace: string,
): Promise<boolean> {
  const [resource = '', subresource = ''] = full.split('/');
  const answer = await kube.create(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: {
      user: `system:serviceaccount:${account}`,
      resourceAttributes: { verb, group, resource, subresource, namespace },
    },
  });
  return answer.status?.['allowed'] === true;
}

/** The API server follows a changed role within a moment, and one that is gathered into another a moment later. */
export const untilAllowed = (
  kube: KubeClient,
  { account, namespace }: GrantedRole,
  permission: Permission,
  wanted: boolean,
): Promise<boolean> =>
  waitFor(
    `${account} to be ${wanted ? 'allowed' : 'denied'}: ${textOf(permission)}`,
    async () => (await isAllowed(kube, account, permission, namespace)) === wanted,
  );
