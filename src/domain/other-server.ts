import type { TenantCatalog } from './catalog.ts';
import { unknown, type Unknown } from './fact.ts';
import type { TenantFacts } from './facts.ts';

/**
 * The server is not the one that its registry was made on, or not the one that the Instance was accepted with: another
 * one may have a registry that is whole, and be silent about our Tenants. Its catalog tells nothing; null otherwise.
 */
export function otherServer(
  { instance, wish }: TenantFacts,
  { systemIdentifier, registeredSystemIdentifier }: TenantCatalog,
): Unknown | null {
  const found = instance.known && instance.value.kind === 'found' ? instance.value : null;
  const accepted =
    found === null || found.systemIdentifier === '' ? systemIdentifier : found.systemIdentifier;
  const same = systemIdentifier === registeredSystemIdentifier && systemIdentifier === accepted;
  if (systemIdentifier === null || same) return null;
  return unknown(
    'SystemIdentifierChanged',
    `another PostgreSQL server answers for PostgreSQLInstance "${wish.instanceName}", and nothing is changed on it; the platform administrator sees how to go on with: kubectl describe postgresqlinstance ${wish.instanceName}`,
  );
}
