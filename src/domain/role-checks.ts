import type { RoleView, TenantCatalog } from './catalog.ts';
import { rowOf } from './claim.ts';
import type { TenantFacts } from './facts.ts';
import { sqlName } from './sql-name.ts';
import type { RoleRepair, TenantStep } from './steps.ts';
import { cannotTell, holds, pending, step, toldStep, wait, type Verdict } from './verdict.ts';

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
      `role "${row.roleName}" exists and is not the one that was made for this Tenant; a database administrator must rename or drop it, and the role is then made anew`,
    );
  }
  const live = facts.credential.known && facts.credential.value.kind === 'live';
  return live ? step('RoleMissing', `creating role "${row.roleName}"`, { kind: 'CreateRole' }) : pending;
}

/** Attributes, connection limit and validity are as they should be. */
export function roleAsSpecified(facts: TenantFacts): Verdict<TenantStep> {
  const role = registeredRole(facts);
  if (!facts.catalog.known || role === null) return pending;
  const reserved = facts.catalog.value.manager.superuser ? [] : superusersAttributes(role);
  const repair = repairOf(role, facts.wish.connectionLimit, reserved);
  // Nobody else may change anything of a superuser.
  const ours = reserved.includes('superuser') ? [] : Object.keys(repair);
  if (ours.length > 0) {
    return step('RoleDrifted', `repairing role "${role.name}": ${ours.join(', ')}`, {
      kind: 'RepairRole',
      repair,
    });
  }
  return reserved.length > 0 ? needsSuperuser(role, reserved) : membershipReturned(role, facts.catalog.value);
}

/**
 * The management role is no member of it by its own grant, which a step that was interrupted left behind. That is in
 * nobody's way: it is taken back beside, where no other step does so itself. While the database is being created the
 * grant is in use.
 */
function membershipReturned(role: RoleView, { database, inFlight }: TenantCatalog): Verdict<TenantStep> {
  const creating = inFlight !== null && database.registered === null && database.named === null;
  if (!role.selfGranted || creating) return holds;
  return toldStep('RoleDrifted', `taking back the membership in role "${role.name}"`, {
    kind: 'ReturnMembership',
  });
}

const needsSuperuser = ({ name }: RoleView, attributes: readonly string[]): Verdict<TenantStep> =>
  wait(
    'RightsMissing',
    `role "${name}" was given attributes that only a superuser can take away; a superuser runs: alter role ${sqlName(name)} ${attributes.map((attribute) => `no${attribute}`).join(' ')}`,
  );

/** Those that a management role without them may not even name. */
const superusersAttributes = (role: RoleView): readonly string[] => [
  ...(role.superuser ? ['superuser'] : []),
  ...(role.replication ? ['replication'] : []),
  ...(role.bypassRls ? ['bypassrls'] : []),
];

export const registeredRole = (facts: TenantFacts): RoleView | null =>
  facts.catalog.known && rowOf(facts) !== null ? facts.catalog.value.role.registered : null;

/** `reserved`: attributes that are not ours to change. */
function repairOf(role: RoleView, connectionLimit: number, reserved: readonly string[]): RoleRepair {
  const wrong = (attribute: string, set: boolean) => set && !reserved.includes(attribute);
  return {
    ...(role.canLogin ? {} : { login: true }),
    ...(role.inherit ? {} : { inherit: true }),
    ...(wrong('superuser', role.superuser) ? { superuser: false } : {}),
    ...(role.createDb ? { createDb: false } : {}),
    ...(role.createRole ? { createRole: false } : {}),
    ...(wrong('replication', role.replication) ? { replication: false } : {}),
    ...(wrong('bypassrls', role.bypassRls) ? { bypassRls: false } : {}),
    ...(role.connectionLimit === connectionLimit ? {} : { connectionLimit }),
    ...(role.expires ? { neverExpires: true } : {}),
  };
}
