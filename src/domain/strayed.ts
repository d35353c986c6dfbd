import { moveToInstance } from './claim.ts';
import type { TenantCatalog } from './catalog.ts';
import type { DescentFacts } from './facts.ts';
import { otherServer } from './other-server.ts';
import type { DescentStep } from './steps.ts';
import { wait, type Verdict } from './verdict.ts';

/** What was read is not what this Tenant was made on: another server, or a row that belongs elsewhere; null otherwise. */
export function strayed(facts: DescentFacts, catalog: TenantCatalog): Verdict<DescentStep> | null {
  const other = otherServer(facts, catalog);
  if (other !== null) return wait(other.reason, other.message);
  const { instance, settings, wish } = facts;
  const { row } = catalog;
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
