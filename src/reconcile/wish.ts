import type { Condition } from '../api/conditions.ts';
import { confirmAnnotation } from '../api/metadata.ts';
import type { PostgreSQLInstance } from '../api/instance.ts';
import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { InstanceWish, TenantWish } from '../domain/facts.ts';
import { defaultName } from '../domain/names.ts';

/** What a Tenant asks for; names that it leaves out are derived. */
export function tenantWish({ metadata, spec, status }: PostgreSQLTenant): TenantWish {
  const derived = defaultName(metadata.namespace, metadata.name);
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    generation: metadata.generation,
    instanceName: spec.instanceRef.name,
    databaseName: spec.databaseName ?? derived,
    roleName: spec.roleName ?? spec.databaseName ?? derived,
    extensions: spec.extensions ?? [],
    deletionPolicy: spec.deletionPolicy,
    connectionLimit: spec.connectionLimit,
    rotation: spec.credentialRotation ?? '',
    confirm: metadata.annotations?.[confirmAnnotation],
    registryLostSince: lostSince(status?.conditions?.find(({ type }) => type === 'CredentialCreated')),
  };
}

export function instanceWish({ metadata, spec, status }: PostgreSQLInstance): InstanceWish {
  return {
    uid: metadata.uid,
    name: metadata.name,
    generation: metadata.generation,
    endpoint: endpointOf(spec),
    confirm: metadata.annotations?.[confirmAnnotation],
    recordedSystemIdentifier: status?.systemIdentifier ?? '',
    ...registryAsRecorded(status),
  };
}

/** The registry, or a part of it, was there when it was last looked at, or has been missed since. */
function registryAsRecorded(status: PostgreSQLInstance['status']) {
  const recorded = status?.conditions?.find(({ type }) => type === 'RegistryReady');
  const registryLostSince = lostSince(recorded);
  const seen = recorded?.status === 'True' || recorded?.reason === 'RegistryMissing';
  return { hadRegistry: seen || registryLostSince !== '', registryLostSince };
}

const lostSince = (recorded: Condition | undefined): string =>
  recorded?.reason === 'RegistryLost' ? recorded.lastTransitionTime : '';

export const endpointOf = ({ host, hostAddress, port }: PostgreSQLInstance['spec']) => ({
  host,
  ...(hostAddress === undefined ? {} : { hostAddress }),
  port,
});
