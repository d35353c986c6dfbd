import type { RegistryRow, TenantCatalog } from './catalog.ts';
import { afterConfirmation } from './confirm.ts';
import type { TenantFacts } from './facts.ts';
import { otherServer } from './other-server.ts';
import type { MoveToInstance, TenantStep } from './steps.ts';
import { cannotTell, holds, step, wait, type Verdict } from './verdict.ts';

/** The registry row is ours: this Tenant, this Instance, this installation, on the server that it was made on. */
export function namesClaimed(facts: TenantFacts): Verdict<TenantStep> {
  const { catalog, credential, wish } = facts;
  if (!catalog.known) return cannotTell(catalog);
  const other = otherServer(facts, catalog.value);
  if (other !== null) return wait(other.reason, other.message);
  const { row } = catalog.value;
  if (row !== null) return rowIsOurs(facts, row);
  if (!credential.known) return cannotTell(credential);
  if (credential.value.kind === 'absent') {
    return step('NamesUnclaimed', `claiming database "${wish.databaseName}" and role "${wish.roleName}"`, {
      kind: 'ClaimNames',
    });
  }
  return rowLost(wish, catalog.value, credential.value.version);
}

/** What still has one of its names may be its own, and only a row can prove it: no word claims such a name again. */
function rowLost(
  { uid, confirm, registryLostSince }: TenantFacts['wish'],
  catalog: TenantCatalog,
  version: number,
): Verdict<TenantStep> {
  const taken = takenNames(catalog);
  if (taken.length > 0) {
    return wait(
      'RegistryLost',
      `${noRow}, and its names are not free: ${taken.join(', ')}; a database administrator restores the row from a backup, or enters it again (docs/operations.md)`,
    );
  }
  const message = `${noRow}; a database administrator can restore the row from a backup`;
  // The loss is told first; the word that is asked for then belongs to this loss alone.
  if (registryLostSince === '') return wait('RegistryLost', message);
  return afterConfirmation(confirm, {
    reason: 'RegistryLost',
    message,
    lost: [uid, String(version), registryLostSince],
    purpose: 'or, to claim the names again',
    step: { kind: 'ClaimNames' },
  });
}

const noRow = 'OpenBao has a record of this Tenant, but the registry has no row for it';

const takenNames = ({ role, database, holders }: TenantCatalog): readonly string[] => [
  ...[database.named, database.tombstone].flatMap((found) =>
    found === null ? [] : [`database "${found.name}" exists`],
  ),
  ...(role.named === null ? [] : [`role "${role.named.name}" exists`]),
  ...holders.map(
    ({ namespace, name, tenantUid }) => `Tenant ${namespace}/${name} (UID ${tenantUid}) has a row with them`,
  ),
];

function rowIsOurs({ instance, settings, wish }: TenantFacts, row: RegistryRow): Verdict<TenantStep> {
  if (row.installation !== settings.installation) {
    return wait(
      'InstanceChanged',
      `the registry row of this Tenant belongs to installation "${row.installation}", and this operator is "${settings.installation}"; the platform administrator gives the operator its old INSTALLATION back, or has a database administrator release the row`,
    );
  }
  if (row.state === 'Retained') {
    return wait(
      'RowRetained',
      `the registry row of this Tenant is marked Retained; to serve it again, a database administrator runs, in the management database: update pgtenancy.tenant set state = 'Active', retained_at = null where tenant_uid = '${row.tenantUid}'`,
    );
  }
  if (!instance.known) return cannotTell(instance);
  if (instance.value.kind === 'absent' || instance.value.uid === row.instanceUid) return holds;
  return moveToInstance(wish, row, instance.value);
}

/** The Instance object was made anew, or the row was another one's: it moves after a human's word. */
export const moveToInstance = (
  wish: TenantFacts['wish'],
  row: RegistryRow,
  { name, uid }: { readonly name: string; readonly uid: string },
): Verdict<MoveToInstance> =>
  afterConfirmation<MoveToInstance>(wish.confirm, {
    reason: 'InstanceChanged',
    message: `the registry row belongs to another PostgreSQLInstance (UID ${row.instanceUid})`,
    lost: [row.instanceUid, uid],
    purpose: `to move it to PostgreSQLInstance "${name}"`,
    step: { kind: 'MoveToInstance', fromInstanceUid: row.instanceUid },
  });

/** Our row with everything else known about it, or the verdict that says why not yet. */
export const rowOf = (facts: TenantFacts): RegistryRow | null =>
  facts.catalog.known ? facts.catalog.value.row : null;
