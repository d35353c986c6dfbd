import { secretName } from './children.ts';
import { afterConfirmation } from './confirm.ts';
import { interruptedDrop } from './database-checks.ts';
import { existingDatabase, neverGotAnywhere } from './existence.ts';
import type { DescentFacts } from './facts.ts';
import type { DescentStep } from './steps.ts';
import { cannotTell, step, wait, type Verdict } from './verdict.ts';

/** How each thing is taken away while it exists. */
type Removal = (facts: DescentFacts) => Verdict<DescentStep>;

/** Before anything is destroyed: what would stand in the way later, named while the user can still decide. */
export function obstacle(facts: DescentFacts): Verdict<DescentStep> | null {
  if (neverGotAnywhere(facts)) return null;
  return notOurs(facts) ?? blocked(facts);
}

function notOurs({
  catalog,
  credential,
  instance,
  settings,
  wish,
}: DescentFacts): Verdict<DescentStep> | null {
  if (!instance.known) return cannotTell(instance);
  if (instance.value.kind === 'absent') {
    return wait(
      'InstanceNotFound',
      `PostgreSQLInstance "${wish.instanceName}" does not exist, so nothing can be deleted. ${escape}`,
    );
  }
  if (!catalog.known) return cannotTell(catalog);
  const { row, systemIdentifier, registeredSystemIdentifier } = catalog.value;
  if (systemIdentifier !== null && systemIdentifier !== registeredSystemIdentifier) {
    return wait(
      'SystemIdentifierChanged',
      `another PostgreSQL server answers; nothing is deleted on it. ${escape}`,
    );
  }
  if (row === null) return registryLost(wish, credential);
  if (row.installation !== settings.installation || row.instanceUid !== instance.value.uid) {
    return wait('InstanceChanged', `the registry row belongs to another Instance or installation. ${escape}`);
  }
  return null;
}

/** The record goes before the row: one without the other means that the database is there and nobody knows whose. */
function registryLost(
  wish: DescentFacts['wish'],
  credential: DescentFacts['credential'],
): Verdict<DescentStep> | null {
  if (!credential.known || credential.value.kind === 'absent') return null;
  return afterConfirmation(wish.confirm, {
    reason: 'RegistryLost',
    message: `OpenBao has a record of this Tenant, but the registry has no row for it, so database and role cannot be told for its own. ${escape}`,
    lost: [wish.uid, String(credential.value.version), 'delete'],
    purpose: 'to delete the record and leave whatever is in PostgreSQL',
    step: { kind: 'DeleteCredential' },
  });
}

const escape = 'To keep everything and let the Tenant go, set spec.deletionPolicy to Retain';

function blocked({ blockers }: DescentFacts): Verdict<DescentStep> | null {
  if (!blockers.known) return cannotTell(blockers);
  const { dependencies, preparedTransactions, subscriptions, activeSlots } = blockers.value;
  const found = [
    ...named('objects that depend on the role', dependencies),
    ...named('prepared transactions', preparedTransactions),
    ...named('subscriptions', subscriptions),
    ...named('active replication slots', activeSlots),
  ];
  if (found.length === 0) return null;
  return wait('DeletionBlocked', `nothing is deleted while there are ${found.join('; ')}. ${escape}`);
}

const named = (what: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${what} (${names.join(', ')})`];

export const withdrawExternalSecret: Removal = ({ child, wish }) =>
  child.known && child.value.kind === 'ours' && child.value.object.metadata.deletionTimestamp !== undefined
    ? wait('Deleting', `waiting for ExternalSecret "${secretName(wish.name)}" to go`)
    : step('Deleting', 'withdrawing the ExternalSecret', { kind: 'WithdrawExternalSecret' });

/** Close, move aside under a name that only this Tenant can have, drop: a late call can then hit nothing else. */
export const takeDatabaseDown: Removal = ({ catalog }) => {
  if (!catalog.known) return cannotTell(catalog);
  const { inFlight, role, database } = catalog.value;
  if (inFlight !== null) return wait('DatabaseBusy', `PostgreSQL is running ${inFlight} database`);
  if (database.tombstone !== null) return step('Deleting', 'dropping the database', { kind: 'DropDatabase' });
  const existing = existingDatabase(catalog.value);
  const closed =
    existing?.allowConnections === false && !existing.isTemplate && role.registered?.canLogin !== true;
  if (closed || existing?.connectionLimit === interruptedDrop) {
    return step('Deleting', 'ending its sessions and moving the database aside', {
      kind: 'TombstoneDatabase',
    });
  }
  return step('Deleting', 'closing the database', { kind: 'CloseDatabase' });
};

export const dropRole: Removal = () => step('Deleting', 'dropping the role', { kind: 'DropRole' });

export const deleteRecord: Removal = () =>
  step('Deleting', 'deleting the credential from OpenBao', { kind: 'DeleteCredential' });

export const releaseNames: Removal = () =>
  step('Deleting', 'releasing the names in the registry', { kind: 'ReleaseNames' });
