import {
  externalSecretKey,
  observedExternalSecretShape,
  type ObservedExternalSecret,
} from '../api/external-secret.ts';
import type { TenantHookRequest } from '../api/hook.ts';
import { isOrphaned, secretName } from '../domain/children.ts';
import { known, type Fact } from '../domain/fact.ts';
import type { Child } from '../domain/facts.ts';
import { attempt } from './attempt.ts';
import type { KubernetesReader } from './ports.ts';

type Parent = TenantHookRequest['parent'];

/**
 * Our ExternalSecret: as Metacontroller observed it, else read live. A foreign object of the name never shows up in
 * `children` (and a create would be swallowed, or take it over), so only the live read can tell.
 */
export async function observeChild(
  kubernetes: KubernetesReader,
  request: TenantHookRequest,
): Promise<Fact<Child>> {
  const { parent, children } = request;
  const { namespace } = parent.metadata;
  const name = secretName(parent.metadata.name);
  const observed = observedExternalSecretShape.safeParse(
    children[externalSecretKey]?.[`${namespace}/${name}`],
  );
  if (observed.success && isOurs(parent, observed.data))
    return known({ kind: 'ours', object: observed.data });
  return attempt(async () => {
    const live = await kubernetes.externalSecret(namespace, name);
    if (live === undefined) return { kind: 'absent' };
    if (isOurs(parent, live)) return { kind: 'ours', object: live };
    return isOrphaned(parent.metadata.uid, live) ? { kind: 'foreign', orphaned: true } : { kind: 'foreign' };
  });
}

const isOurs = ({ metadata }: Parent, object: ObservedExternalSecret): boolean =>
  object.metadata.ownerReferences?.some(
    ({ uid, controller }) => uid === metadata.uid && controller === true,
  ) === true;
