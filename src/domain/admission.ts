import type { RegistryRow, TenantCatalog } from './catalog.ts';
import { judgeExtension } from './extensions.ts';
import type { InstanceLookup, TenantFacts } from './facts.ts';
import { faultOfName } from './names.ts';
import type { TenantStep } from './steps.ts';
import { cannotTell, holds, holdsBut, wait, type Verdict } from './verdict.ts';

type Judgement = Verdict<TenantStep> | null;
type FoundInstance = Extract<InstanceLookup, { kind: 'found' }>;

/**
 * What must hold before a Tenant may claim its names for the first time. Once the row is ours, or a record of ours is
 * in OpenBao, admission lies behind: what has changed since is told and lowers nothing.
 */
export function admitted(facts: TenantFacts): Verdict<TenantStep> {
  if (facts.catalog.known && facts.catalog.value.row !== null) return changedSinceAdmission(facts);
  if (!facts.credential.known) return cannotTell(facts.credential);
  if (facts.credential.value.kind !== 'absent') return holds;
  return (
    namesAreUsable(facts) ??
    instanceServes(facts) ??
    namespaceIsAllowed(facts) ??
    namesAreFree(facts) ??
    secretNameIsFree(facts) ??
    extensionsAreInstallable(facts) ??
    holds
  );
}

function changedSinceAdmission(facts: TenantFacts): Verdict<TenantStep> {
  const { instance, namespaceAllowed, wish } = facts;
  if (namespaceAllowed.known && !namespaceAllowed.value) {
    return holdsBut('NamespaceNotAllowed', `${notAllowed(wish)}; what exists goes on being served`);
  }
  if (
    instance.known &&
    instance.value.kind === 'found' &&
    !instance.value.ready &&
    !instance.value.terminating
  ) {
    return holdsBut('InstanceNotReady', notReady(instance.value));
  }
  return holds;
}

function instanceServes({ instance, wish }: TenantFacts): Judgement {
  if (!instance.known) return cannotTell(instance);
  const found = instance.value;
  if (found.kind === 'absent') {
    return wait(
      'InstanceNotFound',
      `PostgreSQLInstance "${wish.instanceName}" does not exist; the Tenant goes on by itself once it does`,
    );
  }
  if (found.terminating) {
    return wait(
      'InstanceTerminating',
      `PostgreSQLInstance "${found.name}" is being deleted and takes no new Tenant`,
    );
  }
  return found.ready ? null : wait('InstanceNotReady', notReady(found));
}

const notReady = (instance: FoundInstance): string =>
  `PostgreSQLInstance "${instance.name}" is not Ready (${instance.readiness})`;

function namesAreUsable({ wish, instance }: TenantFacts): Judgement {
  const reserved = instance.known && instance.value.kind === 'found' ? instance.value.reserved : [];
  const fault =
    faultOfName('databaseName', wish.databaseName, reserved) ??
    faultOfName('roleName', wish.roleName, reserved);
  return fault === null ? null : wait(fault.reason, fault.message);
}

function namespaceIsAllowed({ namespaceAllowed, wish }: TenantFacts): Judgement {
  if (!namespaceAllowed.known) return cannotTell(namespaceAllowed);
  return namespaceAllowed.value ? null : wait('NamespaceNotAllowed', notAllowed(wish));
}

const notAllowed = (wish: TenantFacts['wish']): string =>
  `PostgreSQLInstance "${wish.instanceName}" does not serve namespace "${wish.namespace}"; ask the platform administrator to add it to spec.allowedNamespaces`;

function namesAreFree(facts: TenantFacts): Judgement {
  const { catalog } = facts;
  if (!catalog.known) return cannotTell(catalog);
  const taken = takenName(catalog.value, facts);
  return taken === null
    ? null
    : wait('Conflict', `${taken}; choose another name, or ask the administrator of the server`);
}

function takenName(catalog: TenantCatalog, facts: TenantFacts): string | null {
  const { wish } = facts;
  const [holder] = catalog.holders;
  if (holder !== undefined) {
    const what =
      holder.databaseName === wish.databaseName
        ? `database "${wish.databaseName}"`
        : `role "${wish.roleName}"`;
    const kept = holder.state === 'Retained' ? 'is retained for' : 'belongs to';
    const whose = `Tenant ${holder.namespace}/${holder.name} (UID ${holder.tenantUid}) of installation "${holder.installation}"`;
    return `${what} ${kept} ${whose}${handOver(holder, facts)}`;
  }
  if (catalog.database.named !== null)
    return `database "${wish.databaseName}" exists already and is not ours`;
  if (catalog.role.named !== null) return `role "${wish.roleName}" exists already and is not ours`;
  return null;
}

/**
 * The same Tenant made anew is another one to the registry; only the server's administrator can say that it is not. A
 * Tenant of another installation is never offered: it may well be alive in another cluster.
 */
function handOver(holder: RegistryRow, { settings, wish }: TenantFacts): string {
  const same = holder.namespace === wish.namespace && holder.name === wish.name;
  if (!same || holder.installation !== settings.installation) return '';
  return `, an earlier one of this name; to hand its database over, a database administrator runs: update pgtenancy.tenant set tenant_uid = '${wish.uid}', state = 'Active', retained_at = null where tenant_uid = '${holder.tenantUid}'`;
}

function secretNameIsFree({ child, wish }: TenantFacts): Judgement {
  if (!child.known) return cannotTell(child);
  return child.value.kind === 'foreign' ? wait('Conflict', foreignChild(wish)) : null;
}

export const foreignChild = (wish: TenantFacts['wish']): string =>
  `ExternalSecret "${wish.name}-postgresql" exists already and does not belong to this Tenant; delete or rename it`;

function extensionsAreInstallable({ offers, wish }: TenantFacts): Judgement {
  if (wish.extensions.length === 0) return null;
  if (!offers.known) return cannotTell(offers);
  const context = {
    offers: offers.value,
    installed: [],
    listed: wish.extensions.map(({ name }) => name),
    untouched: true,
    database: wish.databaseName,
  };
  const bad = wish.extensions
    .map((wished) => judgeExtension(wished, context))
    .find(({ kind }) => kind === 'bad');
  return bad?.kind === 'bad' ? wait(bad.reason, bad.message) : null;
}
