import type { DatabaseView, RegistryRow, TenantCatalog } from './catalog.ts';
import { rowOf } from './claim.ts';
import { afterConfirmation } from './confirm.ts';
import type { TenantFacts } from './facts.ts';
import { registeredRole } from './role-checks.ts';
import type { TenantStep } from './steps.ts';
import { cannotTell, holds, pending, step, wait, type Verdict } from './verdict.ts';

/** A database that cannot be used or altered any more: its drop was interrupted (`datconnlimit`). */
export const interruptedDrop = -2;

/** The database exists: by its registered OID, or by its name and owned by our role. */
export function databaseExists(facts: TenantFacts): Verdict<TenantStep> {
  if (!facts.catalog.known) return cannotTell(facts.catalog);
  const row = rowOf(facts);
  if (row === null) return pending;
  const { database, inFlight } = facts.catalog.value;
  if (database.registered !== null) return registeredDatabase(row, database.registered);
  if (database.named !== null) return namedDatabase(row, database.named);
  if (inFlight !== null) {
    return wait(
      'DatabaseBusy',
      `PostgreSQL is still running "${inFlight} database" for "${row.databaseName}"; it goes on by itself afterwards`,
    );
  }
  if (row.databaseOid !== null) return lostDatabase(facts, row.databaseName, row.databaseOid);
  if (registeredRole(facts) === null) return pending;
  return step('DatabaseMissing', `creating database "${row.databaseName}"`, { kind: 'CreateDatabase' });
}

function registeredDatabase(row: RegistryRow, found: DatabaseView): Verdict<TenantStep> {
  if (found.name !== row.databaseName) {
    return wait(
      'DatabaseRenamed',
      `the database that was registered for this Tenant (OID ${found.oid}) is named "${found.name}"; if it was renamed, a database administrator can rename it back to "${row.databaseName}"`,
    );
  }
  return usable(found);
}

const usable = (found: DatabaseView): Verdict<TenantStep> =>
  found.connectionLimit === interruptedDrop
    ? wait(
        'DatabaseLost',
        `a drop of database "${found.name}" was interrupted, which made it unusable; a database administrator must drop it and restore it`,
      )
    : holds;

/** A DBA's restore has our role as its owner; anything else of that name is not ours. */
function namedDatabase(row: RegistryRow, found: DatabaseView): Verdict<TenantStep> {
  if (row.roleOid !== null && found.ownerOid === row.roleOid) return usable(found);
  return wait(
    'Conflict',
    `database "${row.databaseName}" exists and belongs to "${found.ownerName}", not to the role of this Tenant; a database administrator must rename it or drop it`,
  );
}

const lostDatabase = ({ wish }: TenantFacts, name: string, oid: string): Verdict<TenantStep> =>
  afterConfirmation(wish.confirm, {
    reason: 'DatabaseLost',
    message: `database "${name}" (OID ${oid}) is gone; a database administrator can restore it under its name and owner`,
    lost: [wish.uid, oid],
    purpose: 'or, to go on with a new and empty one',
    step: { kind: 'ForgetDatabase' },
  });

/** Registered, owned by our role, closed to PUBLIC, open to the tenant. */
export function databaseOpened(facts: TenantFacts): Verdict<TenantStep> {
  const row = rowOf(facts);
  const role = registeredRole(facts);
  const database = facts.catalog.known ? ownDatabase(facts.catalog.value) : null;
  if (row === null || role === null || database === null) return pending;
  const faults = [
    ...(row.databaseOid === database.oid ? [] : ['its OID is not registered']),
    ...(database.ownerOid === role.oid ? [] : [`its owner is "${database.ownerName}"`]),
    ...(database.publicConnect || database.publicTemporary ? ['PUBLIC has rights on it'] : []),
    ...(database.allowConnections && database.connectionLimit !== 0 ? [] : ['it refuses connections']),
  ];
  if (faults.length === 0) return holds;
  return step('DatabaseNotHardened', `putting database "${database.name}" right: ${faults.join('; ')}`, {
    kind: 'OpenDatabase',
  });
}

/** Our database as far as it is there: by registered OID, else under the name with our role as its owner. */
export function ownDatabase({ row, database }: TenantCatalog): DatabaseView | null {
  if (row === null) return null;
  if (database.registered !== null) return database.registered;
  const { named } = database;
  return named !== null && row.roleOid !== null && named.ownerOid === row.roleOid ? named : null;
}
