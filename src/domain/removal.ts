import { afterConfirmation } from './confirm.ts';
import type { RegistryRow, RoleView, TenantCatalog } from './catalog.ts';
import { interruptedDrop } from './database-checks.ts';
import { existingDatabase, neverGotAnywhere, runningStatement } from './existence.ts';
import type { DescentFacts } from './facts.ts';
import { listed } from './listed.ts';
import { sqlName } from './sql-name.ts';
import type { DescentStep } from './steps.ts';
import { strayed } from './strayed.ts';
import { cannotTell, step, wait, type Verdict } from './verdict.ts';
import { heldBack } from './withdrawal.ts';

/** How each thing is taken away while it exists. */
type Removal = (facts: DescentFacts) => Verdict<DescentStep>;

/** Before anything is destroyed: what would stand in the way later, named while the user can still decide. */
export function obstacle(facts: DescentFacts): Verdict<DescentStep> | null {
  if (neverGotAnywhere(facts)) return null;
  const inKubernetes = heldBack(facts);
  if (inKubernetes !== null) return inKubernetes;
  const { catalog, credential, instance, wish } = facts;
  if (!instance.known) return cannotTell(instance);
  if (instance.value.kind === 'absent') {
    return wait(
      'InstanceNotFound',
      `PostgreSQLInstance "${wish.instanceName}" does not exist, so nothing can be deleted; the platform administrator can create it again`,
    );
  }
  if (!catalog.known) return cannotTell(catalog);
  // Its record goes last; what cannot be finished is not begun.
  if (!credential.known) return cannotTell(credential);
  return (
    strayed(facts, catalog.value) ??
    registryLost(facts, catalog.value) ??
    unregistered(facts, catalog.value) ??
    misplaced(catalog.value) ??
    blocked(facts)
  );
}

/** The record goes before the row: one without the other means that the database is there and nobody knows whose. */
function registryLost(
  { wish, credential }: DescentFacts,
  { row }: TenantCatalog,
): Verdict<DescentStep> | null {
  if (row !== null || !credential.known || credential.value.kind === 'absent') return null;
  return afterConfirmation(wish.confirm, {
    reason: 'RegistryLost',
    message:
      'OpenBao has a record of this Tenant, but the registry has no row for it, so database and role cannot be told for its own',
    lost: [wish.uid, String(credential.value.version), 'delete'],
    purpose:
      'a database administrator can restore the row from a backup; or, to delete the record and leave whatever is in PostgreSQL',
    step: { kind: 'DeleteCredential' },
  });
}

/** After a restore from a dump the row knows no OIDs: what has its names may be its own, and nobody can tell. */
function unregistered(
  { letIn }: DescentFacts,
  { row, role, database }: TenantCatalog,
): Verdict<DescentStep> | null {
  const unknown = row?.roleOid === null && (role.named !== null || database.named !== null);
  if (!letIn || !unknown) return null;
  return wait(
    'Conflict',
    `role "${row.roleName}" or database "${row.databaseName}" exists, but is not registered for this Tenant any more; a database administrator must drop or rename it`,
  );
}

/** An OID alone proves nothing: after a restore from a dump it may be somebody else's. Name and owner must agree. */
export function misplaced({ row, role, database }: TenantCatalog): Verdict<DescentStep> | null {
  if (row === null) return null;
  const { registered } = role;
  if (registered === null || registered.name === row.roleName) {
    return misplacedDatabase(row, registered, database);
  }
  return wait(
    'Conflict',
    `the registered role (OID ${registered.oid}) is named "${registered.name}", not "${row.roleName}"; a database administrator must rename it back`,
  );
}

function misplacedDatabase(
  row: RegistryRow,
  role: RoleView | null,
  { registered, tombstone }: TenantCatalog['database'],
): Verdict<DescentStep> | null {
  if (tombstone !== null && tombstone.oid !== registered?.oid) {
    return wait(
      'Conflict',
      `database "${tombstone.name}" exists and is not the registered one; a database administrator must rename or drop it`,
    );
  }
  if (registered === null) return null;
  if (tombstone === null && registered.name !== row.databaseName) {
    return wait(
      'DatabaseRenamed',
      `the registered database (OID ${registered.oid}) is named "${registered.name}", not "${row.databaseName}"; a database administrator must rename it back`,
    );
  }
  if (role === null || registered.ownerOid === role.oid) return null;
  return wait(
    'Conflict',
    `database "${registered.name}" belongs to "${registered.ownerName}", not to "${row.roleName}"; a database administrator must give it back: alter database ${sqlName(registered.name)} owner to ${sqlName(row.roleName)}`,
  );
}

function blocked(facts: DescentFacts): Verdict<DescentStep> | null {
  const { blockers } = facts;
  if (!blockers.known) return cannotTell(blockers);
  const { dependencies, preparedTransactions, subscriptions, activeSlots } = blockers.value;
  const found = [
    ...named('objects or grants that depend on the role', dependencies, clearedBy(facts)),
    ...named('prepared transactions', preparedTransactions, 'commit them or roll them back'),
    ...named('subscriptions', subscriptions, 'drop them'),
    ...named('active replication slots', activeSlots, 'stop whoever reads from them'),
  ];
  if (found.length === 0) return null;
  return wait('DeletionBlocked', `nothing is deleted while there are ${found.join('; ')}`);
}

/**
 * `drop owned` takes grants back too, and touches nothing but the database that it runs in and shared objects.
 * `reassign owned` gives away whole databases as well, the Tenant's own among them, wherever it runs.
 */
function clearedBy({ wish }: DescentFacts): string {
  const role = sqlName(wish.roleName);
  return `a database administrator runs in each of these databases: drop owned by ${role}, or before it, to keep objects: reassign owned by ${role} to "<another role>"; alter database ${sqlName(wish.databaseName)} owner to ${role} (it gave the Tenant's database away as well)`;
}

const named = (what: string, names: readonly string[], advice: string): readonly string[] =>
  names.length === 0 ? [] : [`${what} (${listed(names)}): ${advice}`];

/** Close, move aside under a name that only this Tenant can have, drop: a late call can then hit nothing else. */
export const takeDatabaseDown: Removal = ({ catalog }) => {
  if (!catalog.known) return cannotTell(catalog);
  const { role, database } = catalog.value;
  const running = runningStatement(catalog.value);
  if (running !== null)
    return wait('DatabaseBusy', `PostgreSQL is running ${running} database; it goes on by itself afterwards`);
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
