import { moveToInstance } from './claim.ts';
import type { TenantCatalog } from './catalog.ts';
import type { DescentFacts } from './facts.ts';
import type { DescentStep } from './steps.ts';
import { wait, type Verdict } from './verdict.ts';

/** What was read is not what this Tenant was made on: another server, or a row that belongs elsewhere; null otherwise. */
export function strayed(
  { instance, settings, wish }: DescentFacts,
  { row, systemIdentifier, registeredSystemIdentifier }: TenantCatalog,
): Verdict<DescentStep> | null {
  if (systemIdentifier !== null && systemIdentifier !== registeredSystemIdentifier) {
    return wait(
      'SystemIdentifierChanged',
      `another PostgreSQL server answers for PostgreSQLInstance "${wish.instanceName}", and nothing is changed on it; the platform administrator sees how to go on with: kubectl describe postgresqlinstance ${wish.instanceName}`,
    );
  }
  if (row === null) return null;
  if (row.installation !== settings.installation) {
    return wait(
      'InstanceChanged',
      `the registry row of this Tenant belongs to installation "${row.installation}", and this operator is "${settings.installation}"; the platform administrator gives the operator its old INSTALLATION back`,
    );
  }
  if (!instance.known || instance.value.kind === 'absent' || instance.value.uid === row.instanceUid)
    return null;
  return moveToInstance(wish, row, instance.value);
}
