import { tenantNameMax } from '../api/tenant.ts';
import type { RegistryRow, TenantCatalog } from './catalog.ts';
import { secretName } from './children.ts';
import { entersDatabases, judgeExtension } from './extensions.ts';
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
    tenantNameIsUsable(facts) ??
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
    return holdsBut('InstanceNotReady', `${notReady(instance.value)}; what exists goes on being served`);
  }
  return holds;
}

function instanceServes({ instance, wish }: TenantFacts): Judgement {
  if (!instance.known) return cannotTell(instance);
  const found = instance.value;
  if (found.kind === 'absent') {
    return wait(
      'InstanceNotFound',
      `PostgreSQLInstance "${wish.instanceName}" does not exist; if spec.instanceRef is right, ask the platform administrator to create it (the Tenant then goes on by itself), else delete this Tenant and create another`,
    );
  }
  if (found.terminating) {
    return wait(
      'InstanceTerminating',
      `PostgreSQLInstance "${found.name}" is being deleted and takes no new Tenant; delete this one and create another on an Instance that stays`,
    );
  }
  return found.ready ? null : wait('InstanceNotReady', notReady(found));
}

const notReady = (instance: FoundInstance): string =>
  `PostgreSQLInstance "${instance.name}" is not Ready (${instance.readiness}); the platform administrator sees why with: kubectl describe postgresqlinstance ${instance.name}`;

/** The API server would not take the ExternalSecret, and would tell nobody but Metacontroller. */
const tenantNameIsUsable = ({ wish }: TenantFacts): Judgement =>
  wish.name.length <= tenantNameMax
    ? null
    : wait(
        'NameInvalid',
        `metadata.name may have at most ${tenantNameMax} characters, because ExternalSecret and Secret are named after it; delete this Tenant and create one with a shorter name`,
      );

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
  `PostgreSQLInstance "${wish.instanceName}" does not serve namespace "${wish.namespace}"; ask the platform administrator to add the namespace to spec.allowedNamespaces of the Instance, or to label it as the selector there asks`;

function namesAreFree(facts: TenantFacts): Judgement {
  const { catalog } = facts;
  if (!catalog.known) return cannotTell(catalog);
  const taken = takenName(catalog.value, facts);
  return taken === null ? null : wait('Conflict', taken);
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
    return `${what} ${kept} ${whose}; ${handOver(holder, facts) ?? elsewhere}`;
  }
  if (catalog.database.named !== null)
    return `database "${wish.databaseName}" exists already and is not ours; ${elsewhere}`;
  if (catalog.role.named !== null)
    return `role "${wish.roleName}" exists already and is not ours; ${elsewhere}`;
  return null;
}

const elsewhere =
  'it is never taken over: delete this Tenant and create one with another name, or ask the database administrator to free this one';

/**
 * The same Tenant made anew is another one to the registry; only the server's administrator can say that it is not. A
 * Tenant of another installation is never offered: it may well be alive in another cluster.
 */
function handOver(holder: RegistryRow, { settings, wish }: TenantFacts): string | null {
  const same = holder.namespace === wish.namespace && holder.name === wish.name;
  if (!same || holder.installation !== settings.installation) return null;
  return `that was an earlier one of this name, and to hand its database over a database administrator runs, in the management database: update pgtenancy.tenant set tenant_uid = '${wish.uid}', state = 'Active', retained_at = null where tenant_uid = '${holder.tenantUid}'`;
}

function secretNameIsFree({ child, wish }: TenantFacts): Judgement {
  if (!child.known) return cannotTell(child);
  return child.value.kind === 'foreign' ? wait('Conflict', foreignChild(wish)) : null;
}

export const foreignChild = (wish: TenantFacts['wish']): string =>
  `ExternalSecret "${secretName(wish.name)}" exists already in namespace "${wish.namespace}" and does not belong to this Tenant; it is never taken over: delete it, or create a Tenant with another name`;

function extensionsAreInstallable(facts: TenantFacts): Judgement {
  const { offers, wish } = facts;
  if (wish.extensions.length === 0) return null;
  if (!offers.known) return cannotTell(offers);
  const context = {
    offers: offers.value,
    installed: [],
    listed: wish.extensions.map(({ name }) => name),
    superuser: entersDatabases(facts),
    untouched: true,
    database: undefined,
  };
  const bad = wish.extensions
    .map((wished) => judgeExtension(wished, context))
    .find(({ kind }) => kind === 'bad');
  return bad?.kind === 'bad' ? wait(bad.reason, bad.message) : null;
}
