import type { TenantStatus } from '../api/tenant.ts';
import { pinOf, secretName } from './children.ts';
import { rowOf } from './claim.ts';
import { mergeConditions } from './conditions.ts';
import type { Decision } from './decide.ts';
import type { TenantFacts } from './facts.ts';

/**
 * The whole status, as it replaces the recorded one. What cannot be read now stays as recorded; nothing in it moves
 * by itself. `observedGeneration` is Metacontroller's own and left out. `now`: RFC 3339.
 */
export function tenantStatus(
  facts: TenantFacts,
  decision: Decision<unknown>,
  recorded: TenantStatus,
  now: string,
): TenantStatus {
  const { wish } = facts;
  return {
    phase: decision.phase,
    conditions: mergeConditions(recorded.conditions ?? [], decision.findings, wish.generation, now),
    ...claimedNames(facts, recorded),
    endpoint: endpointOf(facts) ?? recorded.endpoint,
    ...handedOver(facts, recorded),
    credential: credentialOf(facts) ?? recorded.credential,
    extensions: extensionsOf(facts) ?? recorded.extensions,
  };
}

function claimedNames(facts: TenantFacts, recorded: TenantStatus): Partial<TenantStatus> {
  const row = rowOf(facts);
  return row === null
    ? { databaseName: recorded.databaseName, roleName: recorded.roleName }
    : { databaseName: row.databaseName, roleName: row.roleName };
}

const endpointOf = ({ instance }: TenantFacts) =>
  instance.known && instance.value.kind === 'found' ? instance.value.endpoint : undefined;

/** The Secret is named once there is an ExternalSecret that makes it. */
function handedOver({ child, wish }: TenantFacts, recorded: TenantStatus): Partial<TenantStatus> {
  if (!child.known || child.value.kind !== 'ours')
    return { secretRef: recorded.secretRef, binding: recorded.binding };
  const name = secretName(wish.name);
  return { secretRef: { name }, binding: { name } };
}

/** Told together with the ExternalSecret, not before: until then nobody is to log in. */
function credentialOf({ child, credential, settings }: TenantFacts): TenantStatus['credential'] {
  const pinned = child.known && child.value.kind === 'ours' ? pinOf(child.value.object) : null;
  const live = credential.known && credential.value.kind === 'live';
  return live && pinned !== null ? { url: settings.credentialUrl, version: pinned.version } : undefined;
}

function extensionsOf({ session, wish }: TenantFacts): TenantStatus['extensions'] {
  if (wish.extensions.length === 0 || !session.known || session.value.kind !== 'proven') return undefined;
  const { installed } = session.value;
  return wish.extensions.flatMap(({ name }) => {
    const found = installed.find((extension) => extension.name === name);
    return found === undefined ? [] : [{ name, version: found.version }];
  });
}
