import type { ObservedExternalSecret } from '../api/external-secret.ts';
import { foreignChild } from './admission.ts';
import { desiredChild, pinOf, saysAll, secretName, type Pin } from './children.ts';
import type { TenantFacts } from './facts.ts';
import type { TenantStep } from './steps.ts';
import { cannotTell, holds, holdsBut, pending, step, wait, type Verdict } from './verdict.ts';

/** The ExternalSecret is there, ours, as it should be, and pinned to the newest record. */
export function externalSecretPinned(facts: TenantFacts): Verdict<TenantStep> {
  const { child, wish } = facts;
  const pin = newestPin(facts);
  if (pin === null) return pending;
  if (!child.known) return cannotTell(child);
  const name = secretName(wish.name);
  if (child.value.kind === 'foreign') return wait('Conflict', foreignChild(wish));
  if (child.value.kind === 'absent') {
    return step(
      'ExternalSecretMissing',
      `creating ExternalSecret "${name}"; if it does not appear, see the Events of this Tenant: kubectl -n ${wish.namespace} describe postgresqltenant ${wish.name}`,
      {
        kind: 'PublishExternalSecret',
      },
    );
  }
  const { object } = child.value;
  if (object.metadata.deletionTimestamp !== undefined) {
    return wait(
      'ExternalSecretDeleting',
      `ExternalSecret "${name}" is being deleted; a new one follows once it is gone, and if it stays, the platform administrator checks that External Secrets runs`,
    );
  }
  if (saysAll(object, desiredChild(wish, facts.settings, pin, object))) return holds;
  return step('ExternalSecretOutdated', `bringing ExternalSecret "${name}" up to date`, {
    kind: 'PublishExternalSecret',
  });
}

/**
 * The Secret holds exactly the pinned version, and that is the newest. `Ready=True` alone proves nothing (it has no
 * generation); `syncedResourceVersion` starts with the generation for which External Secrets last wrote the Secret. A
 * refresh that fails later is told and lowers nothing: the Secret still holds what it held.
 */
export function secretProjected(facts: TenantFacts): Verdict<TenantStep> {
  const { child } = facts;
  if (!child.known) return cannotTell(child);
  if (child.value.kind !== 'ours' || externalSecretPinned(facts).kind !== 'holds') return pending;
  const { object } = child.value;
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
  const wrote = wroteThisGeneration(object);
  if (wrote && ready?.reason === 'SecretSynced' && ready.status === 'True') {
    return ready.message?.includes('retained') === true
      ? wait('SecretNotSynced', notSynced(facts, 'found no data in the record and kept an older'))
      : holds;
  }
  if (wrote && ready?.status === 'False') {
    return holdsBut('SecretNotSynced', notSynced(facts, 'cannot refresh', ready.reason));
  }
  return wait(
    'SecretNotSynced',
    ready === undefined
      ? notSynced(facts, 'has not looked at')
      : notSynced(facts, 'has not written', ready.reason),
  );
}

/** Its reason only: from its messages anything could come, also what changes with each try. */
function notSynced({ settings, wish }: TenantFacts, what: string, said?: string): string {
  const { kind, name } = settings.store;
  const secret = secretName(wish.name);
  const why = said === undefined ? '' : ` (${said})`;
  return `External Secrets ${what} Secret "${secret}"${why}; its own words: kubectl -n ${wish.namespace} describe externalsecret ${secret}. If it stays so, the platform administrator checks that External Secrets runs, and that ${kind} "${name}" exists, is Ready and open to this namespace`;
}

const wroteThisGeneration = ({ metadata, status }: ObservedExternalSecret): boolean =>
  status?.syncedResourceVersion?.startsWith(`${metadata.generation}-`) === true;

/** The version that the login was proven with is the one that the Secret holds. */
export function projectedLoginProven({ session, child, credential }: TenantFacts): Verdict<TenantStep> {
  if (!session.known) return cannotTell(session);
  if (session.value.kind === 'deferred') return holds;
  const pinned = child.known && child.value.kind === 'ours' ? pinOf(child.value.object) : null;
  const loggedIn = session.value.kind === 'proven' || session.value.kind === 'authenticated';
  const proven = loggedIn && credential.known && credential.value.kind === 'live';
  return proven && pinned?.version === credential.value.version ? holds : pending;
}

/** The newest version of the record; null while there is none, or while it cannot be read. */
export const newestPin = ({ credential }: TenantFacts): Pin | null =>
  credential.known && credential.value.kind === 'live'
    ? { version: credential.value.version, createdAt: credential.value.createdAt }
    : null;
