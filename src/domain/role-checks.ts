import type { RoleView } from './catalog.ts';
import { rowOf } from './claim.ts';
import type { TenantFacts } from './facts.ts';
import type { RoleRepair, TenantStep } from './steps.ts';
import { cannotTell, holds, pending, step, wait, type Verdict } from './verdict.ts';

/** The role exists, and it is the one whose OID was registered when we made it. */
export function roleExists(facts: TenantFacts): Verdict<TenantStep> {
  if (!facts.catalog.known) return cannotTell(facts.catalog);
  const row = rowOf(facts);
  if (row === null) return pending;
  const { registered, named } = facts.catalog.value.role;
  if (registered !== null && registered.name === row.roleName) return holds;
  if (registered !== null) {
    return wait(
      'Conflict',
      `the role that was registered for this Tenant (OID ${registered.oid}) is named "${registered.name}"; if it was renamed, a database administrator can rename it back to "${row.roleName}"`,
    );
  }
  if (named !== null) {
    return wait(
      'Conflict',
      `role "${row.roleName}" exists and is not the one that was made for this Tenant; a database administrator must rename or drop it`,
    );
  }
  const live = facts.credential.known && facts.credential.value.kind === 'live';
  return live ? step('RoleMissing', `creating role "${row.roleName}"`, { kind: 'CreateRole' }) : pending;
}

/** Attributes, connection limit and validity are as they should be. */
export function roleAsSpecified(facts: TenantFacts): Verdict<TenantStep> {
  const role = registeredRole(facts);
  if (role === null) return pending;
  const repair = repairOf(role, facts.wish.connectionLimit);
  if (Object.keys(repair).length === 0) return holds;
  return step('RoleDrifted', `repairing role "${role.name}": ${Object.keys(repair).join(', ')}`, {
    kind: 'RepairRole',
    repair,
  });
}

export const registeredRole = (facts: TenantFacts): RoleView | null =>
  facts.catalog.known && rowOf(facts) !== null ? facts.catalog.value.role.registered : null;

const repairOf = (role: RoleView, connectionLimit: number): RoleRepair => ({
  ...(role.canLogin ? {} : { login: true }),
  ...(role.inherit ? {} : { inherit: true }),
  ...(role.superuser ? { superuser: false } : {}),
  ...(role.createDb ? { createDb: false } : {}),
  ...(role.createRole ? { createRole: false } : {}),
  ...(role.replication ? { replication: false } : {}),
  ...(role.bypassRls ? { bypassRls: false } : {}),
  ...(role.connectionLimit === connectionLimit ? {} : { connectionLimit }),
  ...(role.expires ? { neverExpires: true } : {}),
});
