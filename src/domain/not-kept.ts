import type { RegistryRow, TenantCatalog } from './catalog.ts';
import { interruptedDrop } from './database-checks.ts';
import { existingDatabase } from './existence.ts';
import type { DescentFacts } from './facts.ts';
import { otherServer } from './other-server.ts';
import { sqlName } from './sql-name.ts';

/**
 * What a person should know about a Tenant that is let go as retained: what was to be kept is gone already or cannot be
 * used, because a deletion had begun or somebody else changed it. null: all of it is in order, or nobody can tell.
 */
export function notKept(facts: DescentFacts): string | null {
  const { catalog, credential, everClaimed } = facts;
  if (!catalog.known || otherServer(facts, catalog.value) !== null) return null;
  const noRecord = credential.known && credential.value.kind === 'absent';
  const { row } = catalog.value;
  if (row === null) {
    if (credential.known && !noRecord) {
      return 'OpenBao has a record of this Tenant, but the registry has no row for it';
    }
    return noRecord && everClaimed
      ? 'neither registry nor OpenBao has anything of this Tenant any more'
      : null;
  }
  const found = [
    ...missing(facts, catalog.value, row),
    ...(noRecord && facts.letIn ? ['the credential in OpenBao'] : []),
  ];
  const gone = found.length === 0 ? [] : [`gone already: ${found.join(', ')}`];
  const sentences = [...gone, ...aside(catalog.value, row)];
  return sentences.length === 0 ? null : sentences.join('; ');
}

/** What was never there, because the Tenant had not climbed that far, is not missed. */
function missing(
  { letIn }: DescentFacts,
  { role, database }: TenantCatalog,
  row: RegistryRow,
): readonly string[] {
  const noDatabase = database.registered === null && database.tombstone === null && database.named === null;
  const noRole = role.registered === null && role.named === null;
  return [
    ...(noDatabase && (letIn || row.databaseOid !== null) ? [`database "${row.databaseName}"`] : []),
    ...(noRole && (letIn || row.roleOid !== null) ? [`role "${row.roleName}"`] : []),
  ];
}

function aside(catalog: TenantCatalog, row: RegistryRow): readonly string[] {
  const existing = existingDatabase(catalog);
  if (existing?.connectionLimit === interruptedDrop) {
    return [`an interrupted drop left database "${existing.name}" unusable; only dropping it is left`];
  }
  const { tombstone } = catalog.database;
  return [
    ...(tombstone === null
      ? []
      : [`the database is still named "${tombstone.name}", not "${row.databaseName}"`]),
    ...shut(catalog),
  ];
}

/** Each with the statement that opens it. */
function shut(catalog: TenantCatalog): readonly string[] {
  const database = existingDatabase(catalog);
  const role = catalog.role.registered;
  return [
    ...(database?.allowConnections === false
      ? [
          `database "${database.name}" refuses connections until a database administrator runs: alter database ${sqlName(database.name)} allow_connections true`,
        ]
      : []),
    ...(role?.canLogin === false
      ? [
          `role "${role.name}" may not log in until a database administrator runs: alter role ${sqlName(role.name)} login`,
        ]
      : []),
  ];
}
