import { z } from 'zod';

import type { KubeClient, KubeObject, Resource } from '../../world/kubernetes/client.ts';
import type { Rule } from './permission.ts';

const rbac = (plural: string): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
});

/** A Role or ClusterRole of the release. */
export interface GrantedRole {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
  /** '' for a ClusterRole. */
  readonly namespace: string;
  /** The ServiceAccount that has its rights, as `namespace:name`. */
  readonly account: string;
  readonly rules: readonly Rule[];
}

/** Strict: a rule about names or URLs would pass for one about everything. */
const ruleShape = z.strictObject({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
});
const bindingShape = z.object({
  roleRef: z.object({ kind: z.enum(['Role', 'ClusterRole']), name: z.string() }),
  subjects: z.array(z.object({ kind: z.literal('ServiceAccount'), name: z.string(), namespace: z.string() })),
});
const aggregated = z.object({
  aggregationRule: z.object({
    clusterRoleSelectors: z.array(z.object({ matchLabels: z.record(z.string(), z.string()) })),
  }),
});

/** What the release grants to the operator and to Metacontroller: bound by a binding of its own, or gathered by a label. */
export async function grantedRoles(kube: KubeClient, releaseName: string): Promise<GrantedRole[]> {
  const ofRelease = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.['app.kubernetes.io/instance'] === releaseName;
  const itemsOf = async (plural: string): Promise<KubeObject[]> => (await kube.list(rbac(plural))).items;
  const bindings = [...(await itemsOf('rolebindings')), ...(await itemsOf('clusterrolebindings'))];
  const roles = [...(await itemsOf('roles')), ...(await itemsOf('clusterroles'))].filter(ofRelease);
  const gathering = await kube.get(rbac('clusterroles'), 'metacontroller');
  return roles.flatMap((role) => {
    const bound = bindings.filter(ofRelease).flatMap((binding) => accountsOf(binding, role));
    const gathered = isGathered(role, gathering)
      ? bindings.flatMap((binding) => (gathering === undefined ? [] : accountsOf(binding, gathering)))
      : [];
    return [...bound, ...gathered].map((account) => grantedRole(role, account));
  });
}

/** Replaces the rules of a role. */
export const setRules = (
  kube: KubeClient,
  { kind, name, namespace }: GrantedRole,
  rules: readonly Rule[],
): Promise<KubeObject> =>
  kube.patch(
    rbac(kind === 'Role' ? 'roles' : 'clusterroles'),
    name,
    kind === 'Role' ? namespace : undefined,
    { rules },
  );

const grantedRole = (role: KubeObject, account: string): GrantedRole => ({
  kind: role.metadata.namespace === undefined ? 'ClusterRole' : 'Role',
  name: role.metadata.name,
  namespace: role.metadata.namespace ?? '',
  account,
  rules: z.array(ruleShape).parse(role['rules']),
});

function accountsOf(binding: KubeObject, { metadata }: KubeObject): string[] {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  const { roleRef } = binding as unknown as { roleRef: { kind: string; name: string } };
  const isOf = roleRef.kind === kind && roleRef.name === metadata.name;
  if (!isOf || binding.metadata.namespace !== metadata.namespace) return [];
  return bindingShape.parse(binding).subjects.map(({ namespace, name }) => `${namespace}:${name}`);
}

/** Whether the ClusterRole that gathers others takes this one. */
function isGathered(role: KubeObject, gathering: KubeObject | undefined): boolean {
  if (gathering === undefined || role.metadata.namespace !== undefined) return false;
  return aggregated
    .parse(gathering)
    .aggregationRule.clusterRoleSelectors.some(({ matchLabels }) =>
      Object.entries(matchLabels).every(([key, value]) => role.metadata.labels?.[key] === value),
    );
}
