import type { PostgreSQLInstance } from '../api/instance.ts';
import { known, type Unknown } from '../domain/fact.ts';
import type { InstanceFacts } from '../domain/facts.ts';
import { missingRights } from '../domain/missing-rights.ts';
import type { Reason } from '../domain/reasons.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import type { Server } from './ports.ts';
import { serverOf } from './target.ts';
import { instanceWish } from './wish.ts';

export interface InstanceObservation {
  readonly facts: InstanceFacts;
  readonly server: Server | undefined;
}

/** Trouble that is an answer: the server, or its configuration here, says no, and says so again when asked again. */
const refusals: readonly Reason[] = [
  'TLSVerificationFailed',
  'CertificateSANMissing',
  'InvalidCABundle',
  'ManagementSecretMissing',
  'ManagementSecretInvalid',
  'ManagementDatabaseMissing',
  'AuthenticationFailed',
  'PermissionDenied',
  'RightsMissing',
  'AdminRoleUnusable',
  'InsecureAuthentication',
  'PoolerDetected',
  'StandbyDetected',
  'VersionUnsupported',
];

/** Looks at a server and at its registry. Writes nothing. */
export async function observeInstance(
  context: Context,
  instance: PostgreSQLInstance,
): Promise<InstanceObservation> {
  const found = await attempt(() => serverOf(context, instance));
  const wish = instanceWish(instance);
  const { installation } = context.settings;
  if (!found.known) {
    return {
      server: undefined,
      facts: { wish, installation, server: answerOf(found), registry: found, claimants: found },
    };
  }
  const { server } = found.value;
  const view = await attempt(() => server.observe.server());
  const registry = view.known ? await attempt(() => server.observe.registry()) : view;
  // Where rights are known to be missing, the check of the rights says which.
  const capable = view.known && missingRights(view.value).length === 0;
  const denied = capable && !registry.known && registry.reason === 'PermissionDenied' ? registry : null;
  const seen = denied ?? view;
  const claimants = await observeClaimants(context, wish, registry);
  return {
    server,
    facts: { wish, installation, server: seen.known ? seen : answerOf(seen), registry, claimants },
  };
}

/** A registry that is not there, on an Instance that tells of none: Tenants may know better. */
async function observeClaimants(
  { kubernetes }: Context,
  { name, hadRegistry }: InstanceFacts['wish'],
  registry: InstanceFacts['registry'],
): Promise<InstanceFacts['claimants']> {
  const missing = registry.known && registry.value.schemaVersion === null && !hadRegistry;
  return missing ? attempt(() => kubernetes.claimantsOf(name)) : known([]);
}

const answerOf = (view: Unknown): InstanceFacts['server'] =>
  refusals.includes(view.reason) ? known({ refused: { reason: view.reason, message: view.message } }) : view;
