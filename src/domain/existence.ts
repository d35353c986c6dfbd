import { ownDatabase } from './database-checks.ts';
import { known, type Fact } from './fact.ts';
import type { DescentFacts } from './facts.ts';
import { otherServer } from './other-server.ts';
import type { DatabaseView, TenantCatalog } from './catalog.ts';

/*
 * What of a Tenant still exists. Nothing in PostgreSQL is ours without our row: a Tenant that lost a name to another
 * one has none, so its deletion touches nothing.
 */

export const externalSecretExists = ({ child }: DescentFacts): Fact<boolean> =>
  child.known ? known(child.value.kind === 'ours') : child;

export const databaseExistsStill = (facts: DescentFacts): Fact<boolean> =>
  inOurRow(facts, (catalog) => existingDatabase(catalog) !== null || catalog.inFlight === 'create');

export const roleExistsStill = (facts: DescentFacts): Fact<boolean> =>
  inOurRow(facts, ({ role }) => role.registered !== null);

export const recordExists = ({ credential }: DescentFacts): Fact<boolean> =>
  credential.known ? known(credential.value.kind !== 'absent') : credential;

export const rowExists = (facts: DescentFacts): Fact<boolean> => inOurRow(facts, () => true);

/** The Instance is gone, and there was never a claim or a credential: nothing can have been made for this Tenant. */
export const neverGotAnywhere = ({ instance, credential, everClaimed }: DescentFacts): boolean =>
  !everClaimed &&
  instance.known &&
  instance.value.kind === 'absent' &&
  credential.known &&
  credential.value.kind === 'absent';

/** A drop runs on the tombstone only: without one it has ended, whatever a session still calls itself. */
export const runningStatement = ({ inFlight, database }: TenantCatalog): TenantCatalog['inFlight'] =>
  inFlight === 'drop' && database.tombstone === null ? null : inFlight;

export const existingDatabase = (catalog: TenantCatalog): DatabaseView | null =>
  catalog.database.tombstone ?? ownDatabase(catalog);

function inOurRow(facts: DescentFacts, exists: (catalog: TenantCatalog) => boolean): Fact<boolean> {
  if (neverGotAnywhere(facts)) return known(false);
  if (!facts.catalog.known) return facts.catalog;
  const other = otherServer(facts, facts.catalog.value);
  if (other !== null) return other;
  const catalog = facts.catalog.value;
  return known(catalog.row !== null && exists(catalog));
}
