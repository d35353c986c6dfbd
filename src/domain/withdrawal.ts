import { secretName } from './children.ts';
import type { DescentFacts } from './facts.ts';
import type { DescentStep } from './steps.ts';
import { step, wait, type Verdict } from './verdict.ts';

/*
 * `kubectl delete --cascade` sets a finalizer of the garbage collector on the Tenant. While it is there Metacontroller
 * manages no children: what happens to the ExternalSecret is the collector's business, and is waited for.
 */

/** Leaves the ExternalSecret out of the answer, so that Metacontroller deletes it; the collector does it by itself. */
export function withdrawExternalSecret({ child, wish, collector }: DescentFacts): Verdict<DescentStep> {
  const name = secretName(wish.name);
  const going =
    child.known && child.value.kind === 'ours' && child.value.object.metadata.deletionTimestamp !== undefined;
  if (going) return wait('Deleting', `waiting for ExternalSecret "${name}" to go`);
  if (collector !== null) return waitForCollector(name, collector);
  return step(
    'Deleting',
    'withdrawing the ExternalSecret; if it does not go, see the Events of this Tenant',
    {
      kind: 'WithdrawExternalSecret',
    },
  );
}

/**
 * What Kubernetes itself has to say against destroying anything, or null. An orphaned ExternalSecret was asked to stay,
 * and with it the access that it hands out; that wish and `deletionPolicy: Delete` cannot both be met, so a person decides.
 */
export function heldBack(facts: DescentFacts): Verdict<DescentStep> | null {
  const { child, wish, held, collector } = facts;
  const name = secretName(wish.name);
  if (!held) return wait('DeletionBlocked', letGoOf(facts));
  if (collector === 'orphan') return waitForCollector(name, collector);
  if (!child.known || child.value.kind !== 'foreign' || child.value.orphaned !== true) return null;
  return wait(
    'ExternalSecretOrphaned',
    `ExternalSecret "${name}" was orphaned (--cascade=orphan) and still hands out the credential, so nothing is deleted. If the database is to go as well: kubectl delete externalsecret ${name} --namespace ${wish.namespace}`,
  );
}

const letGoOf = ({ wish, settings }: DescentFacts): string =>
  `Metacontroller's finalizer (metacontroller.io/compositecontroller-<name of the CompositeController>) is not on this object any more: it may go at any moment and leave a deletion half done, so nothing is deleted. To have all of it deleted, put that finalizer back; to have this object go as it is, take off the finalizers that are left (kubectl -n ${wish.namespace} get postgresqltenant ${wish.name} -o jsonpath='{.metadata.finalizers}'), and administrators remove what stays: database "${wish.databaseName}", role "${wish.roleName}", their row in pgtenancy.tenant, and ${settings.credentialKey} in OpenBao`;

const waitForCollector = (name: string, collector: 'foreground' | 'orphan') =>
  wait(
    'Deleting',
    collector === 'orphan'
      ? `waiting for the garbage collector to orphan ExternalSecret "${name}"`
      : `waiting for the garbage collector to delete ExternalSecret "${name}"`,
  );
