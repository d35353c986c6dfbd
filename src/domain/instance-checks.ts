import { afterConfirmation } from './confirm.ts';
import type { Unknown } from './fact.ts';
import type { InstanceFacts } from './facts.ts';
import { listed } from './listed.ts';
import { missingRights } from './missing-rights.ts';
import { registryVersion, type ServerView } from './server.ts';
import { sqlName } from './sql-name.ts';
import type { InstanceStep } from './steps.ts';
import { faultOfTemplate } from './template.ts';
import { cannotTell, holds, pending, step, wait, type Verdict } from './verdict.ts';

type Judgement = Verdict<InstanceStep>;

/** PostgreSQL 15, as `server_version_num`. */
const oldestVersion = 150_000;

/** The primary itself answers, new enough, under a certificate that consumers can verify as well. */
export function serverAnswers(facts: InstanceFacts): Judgement {
  const { server, wish } = facts;
  if (!server.known) return cannotTell(server);
  if ('refused' in server.value) return wait(server.value.refused.reason, server.value.refused.message);
  const { pooled, inRecovery, versionNumber, version, template, certificate } = server.value;
  if (pooled)
    return wait('PoolerDetected', `a connection pooler answers; ${giveAddress('the server itself')}`);
  if (inRecovery) return wait('StandbyDetected', `a standby answers; ${giveAddress('the primary')}`);
  if (versionNumber < oldestVersion) {
    return wait(
      'VersionUnsupported',
      `the server is PostgreSQL ${version}; upgrade it to 15 or newer, or ${giveAddress('a newer one')}`,
    );
  }
  const fault = faultOfTemplate(template);
  return fault === null ? certificateCovers(wish, certificate) : wait('TemplateUnusable', fault);
}

const giveAddress = (whose: string): string =>
  `give the address of ${whose} in spec.host, spec.hostAddress and spec.port`;

function certificateCovers(
  { endpoint }: InstanceFacts['wish'],
  { coversHost, coversAddress }: ServerView['certificate'],
): Judgement {
  if (!coversHost) {
    return wait(
      'CertificateSANMissing',
      `the certificate of the server has no DNS SAN "${endpoint.host}"; issue one that has, or put spec.host right`,
    );
  }
  if (coversAddress) return holds;
  return wait(
    'CertificateSANMissing',
    `the certificate of the server for "${endpoint.host}" has no IP SAN ${endpoint.hostAddress ?? ''}; issue one that has, or take spec.hostAddress away`,
  );
}

/** It is the server that it was: by status, and by the registry that lives on it. */
export function sameServer(facts: InstanceFacts): Judgement {
  const server = viewOf(facts);
  const { registry, wish } = facts;
  if (server === null) return pending;
  if (!registry.known && isUnreadable(registry, server)) return holds;
  if (!registry.known && !isBroken(registry)) return cannotTell(registry);
  const actual = server.systemIdentifier;
  const registered = registry.known ? registry.value.systemIdentifier : null;
  const known = [registered ?? '', wish.recordedSystemIdentifier];
  const expected = known.find((identifier) => identifier !== '' && identifier !== actual);
  if (actual === null || expected === undefined) return holds;
  const verdict = afterConfirmation<InstanceStep>(wish.confirm, {
    reason: 'SystemIdentifierChanged',
    message: `another PostgreSQL server (system identifier ${actual}, before ${expected}) answers at this address, or it was restored from a dump`,
    lost: [wish.uid, expected, actual],
    purpose: 'to go on with this one',
    step: { kind: 'AcceptServer', from: expected },
  });
  // A registry that is not there or not whole, or agrees with its server, needs no rewriting: the word alone is enough.
  const without = !registry.known || registry.value.schemaVersion === null;
  const agrees = without || registered === actual;
  return verdict.kind === 'step' && agrees ? holds : verdict;
}

/** For want of rights, which the check of the rights tells. */
const isUnreadable = ({ reason }: Unknown, server: ServerView): boolean =>
  reason === 'PermissionDenied' && missingRights(server).length > 0;

/** A part of it is lost. That is seen, and the registry's own condition tells it; the server is as it was. */
const isBroken = ({ reason }: Unknown): boolean => reason === 'RegistryMissing';

/** The management role may do all that the operator does; what it may not is told in SQL, all at once. */
export function rightsSuffice(facts: InstanceFacts): Judgement {
  const server = viewOf(facts);
  if (server === null) return pending;
  const missing = missingRights(server);
  if (missing.length === 0) return holds;
  return wait(
    'RightsMissing',
    `management role ${sqlName(server.currentUser)} lacks rights; a superuser runs, in database ${sqlName(server.managementDatabase.name)}: ${missing.join(' ')}`,
  );
}

/** The registry is there, in a version that this code can use. */
export function registryIsCurrent({ registry, wish, claimants }: InstanceFacts): Judgement {
  if (!registry.known) {
    return isBroken(registry) ? wait(registry.reason, registry.message) : cannotTell(registry);
  }
  const { schemaVersion, minCompatibleVersion } = registry.value;
  if (schemaVersion === null && wish.hadRegistry) {
    return registryLost(wish);
  }
  if (schemaVersion === null) {
    if (!claimants.known) return cannotTell(claimants);
    if (claimants.value.length > 0) return wait('RegistryLost', missedBy(claimants.value));
  }
  if (minCompatibleVersion !== null && minCompatibleVersion > registryVersion) {
    return wait(
      'RegistryTooNew',
      `the registry needs an operator that knows registry version ${minCompatibleVersion}, and this one knows ${registryVersion}; upgrade it`,
    );
  }
  if (schemaVersion !== null && schemaVersion >= registryVersion) return holds;
  return step('RegistryOutdated', 'creating or migrating the registry', { kind: 'MigrateRegistry' });
}

/** Registry and status of the Instance are lost together, as by a restore: the status of its Tenants tells of it. */
const missedBy = (tenants: readonly string[]): string =>
  `there is no registry (schema pgtenancy of the management database), but Tenants claimed names in it: ${listed(tenants)}; restore it from a backup`;

/** The loss is told first; the word that is asked for then belongs to this loss alone. */
function registryLost({ uid, confirm, registryLostSince }: InstanceFacts['wish']): Judgement {
  const message =
    'the registry (schema pgtenancy of the management database) is gone; restore it from a backup';
  if (registryLostSince === '') return wait('RegistryLost', message);
  return afterConfirmation<InstanceStep>(confirm, {
    reason: 'RegistryLost',
    message,
    lost: [uid, registryLostSince],
    purpose: 'or, to go on with a new and empty one, in which no Tenant owns anything',
    step: { kind: 'MigrateRegistry' },
  });
}

/** The registry knows this Instance, as one of this installation. */
export function instanceRegistered({ registry, installation }: InstanceFacts): Judgement {
  if (!registry.known) return cannotTell(registry);
  const { instance } = registry.value;
  if (instance === null) {
    return step('InstanceUnregistered', 'entering the Instance in the registry', {
      kind: 'RegisterInstance',
    });
  }
  if (instance.installation === installation) return holds;
  return wait(
    'InstanceChanged',
    `the registry has this Instance under installation "${instance.installation}"; give this installation the same name, or the Instance another server`,
  );
}

/** Advice only: where PUBLIC may connect, every tenant may. */
export function publicIsClosed(facts: InstanceFacts): Judgement {
  const server = viewOf(facts);
  if (server === null) return pending;
  const open = server.publicConnect;
  if (open.length === 0) return holds;
  const names = listed(open.map((name) => `"${name}"`));
  return wait(
    'PublicConnectPossible',
    `every tenant may connect to ${names}; consider, for each: revoke connect, temporary on database ... from public`,
  );
}

const viewOf = ({ server }: InstanceFacts): ServerView | null =>
  server.known && !('refused' in server.value) ? server.value : null;
