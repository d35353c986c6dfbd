import { conditionsOf } from '../../scenarios/conditions.ts';
import { instances, tenants } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import { untilAllowed } from './access-review.ts';
import { type GrantedRole, setRules } from './granted-roles.ts';
import { type Permission, rulesWithout, textOf } from './permission.ts';
import { type Act, productRun } from './product-run.ts';
import { finish, metacontrollerAccount, type RightsStage, untilDone } from './rights-stage.ts';

interface Trial {
  readonly role: GrantedRole;
  readonly permission: Permission;
  /** In the names of what is made for it. */
  readonly id: string;
}

/**
 * Takes one permission away, requires that it is asked for in vain and that somebody can see why, gives it back, and requires
 * that what had failed is done. @throws Error that says what did not happen
 */
export async function requireNeeded(stage: RightsStage, trial: Trial): Promise<void> {
  const { role, permission } = trial;
  const { kube } = stage.cluster;
  const acts = actsFor(stage, trial);
  const isForServerSide = textOf(permission) === 'patch externalsecrets.external-secrets.io';
  if (isForServerSide) await stage.apply('server-side-apply');
  const denied = denialOf(stage, trial);
  let held: Act;
  try {
    await setRules(kube, role, rulesWithout(role.rules, permission));
    await untilAllowed(kube, role, permission, false);
    await restartIfWatched(stage, trial);
    held = await firstHeldUp(acts, denied.isSeen);
    await waitFor(`a sign of the missing ${textOf(permission)}`, denied.isTold);
  } finally {
    await setRules(kube, role, role.rules);
    await untilAllowed(kube, role, permission, true);
  }
  await restartIfWatched(stage, trial);
  await untilDone(held);
  for (const act of acts.slice(acts.indexOf(held) + 1)) await finish(act);
  if (isForServerSide) await stage.apply('dynamic-apply');
}

/** Those in which the permission may be asked for, deletion last. */
function actsFor({ cluster, pod }: RightsStage, { permission, id }: Trial): readonly Act[] {
  const { create, editChild, orphanChild, leave, comeBack, remove } = productRun(cluster, pod, id);
  const { verb, resource } = permission;
  if (resource === 'events') return [create, leave, comeBack, remove];
  if (resource === 'externalsecrets' && verb === 'update') return [create, editChild, remove];
  if (resource === 'externalsecrets' && verb === 'get') return [create, orphanChild, remove];
  return [create, remove];
}

/** What is watched is learnt of at the start; a watch under way is not ended when the right to it goes. */
async function restartIfWatched({ metacontroller }: RightsStage, { role, permission }: Trial): Promise<void> {
  if (role.account === metacontrollerAccount && /^(list|watch)$/.test(permission.verb))
    await metacontroller.restart();
}

async function firstHeldUp(acts: readonly Act[], isDenied: () => boolean): Promise<Act> {
  for (const act of acts) {
    await act.begin();
    await untilDone({
      what: `${act.what}, or a denial`,
      isDone: async () => isDenied() || act.isDone(),
    });
    if (isDenied()) return act;
  }
  throw new Error('all was done without it');
}

/** What can be seen from now on: by whoever reads the audit log, and by whoever looks why nothing happens. */
function denialOf(
  stage: RightsStage,
  trial: Trial,
): { isSeen: () => boolean; isTold: () => boolean | Promise<boolean> } {
  const { role, permission } = trial;
  const bytes = stage.auditBytes();
  const wanted = textOf(permission);
  const isSeen = (): boolean =>
    stage
      .requests(bytes)
      .some((one) => !one.isAllowed && one.account === role.account && textOf(one) === wanted);
  if (role.account !== metacontrollerAccount) return { isSeen, isTold: () => isInCondition(stage, trial) };
  const logged = stage.metacontroller.log().length;
  const saying = sentenceOf(permission);
  const isTold = (): boolean => stage.metacontroller.log().slice(logged).includes(saying);
  // An admission plugin asks for this one, and not the audit log but the answer tells.
  return { isSeen: permission.resource.endsWith('/finalizers') ? isTold : isSeen, isTold };
}

const sentenceOf = ({ verb, resource }: Permission): string =>
  resource.endsWith('/finalizers')
    ? "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
    : `cannot ${verb} resource \\"${resource}\\"`;

/** The operator says it in the conditions of the Tenant or the Instance. */
async function isInCondition({ cluster: { kube } }: RightsStage, { id }: Trial): Promise<boolean> {
  const objects = [await kube.get(tenants, `t-${id}`, 'shop'), await kube.get(instances, `pg-${id}`)];
  return objects
    .flatMap((object) => conditionsOf(object))
    .some(
      ({ reason, message }) =>
        reason === 'KubernetesForbidden' && message.includes('does not let the operator read'),
    );
}
