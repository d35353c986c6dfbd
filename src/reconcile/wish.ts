import { confirmAnnotation } from '../api/metadata.ts';
import type { PostgreSQLInstance } from '../api/instance.ts';
import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { InstanceWish, TenantWish } from '../domain/facts.ts';
import { defaultName } from '../domain/names.ts';

/** What a Tenant asks for; names that it leaves out are derived. */
export function tenantWish({ metadata, spec }: PostgreSQLTenant): TenantWish {
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

/** The registry was there when it was last looked at, or has been missed since. */
function registryAsRecorded(status: PostgreSQLInstance['status']) {
  const recorded = status?.conditions?.find(({ type }) => type === 'RegistryReady');
  const isLost = recorded?.reason === 'RegistryLost';
  return {
    hadRegistry: recorded?.status === 'True' || isLost,
    registryLostSince: isLost ? recorded.lastTransitionTime : '',
  };
}

export const endpointOf = ({ host, hostAddress, port }: PostgreSQLInstance['spec']) => ({
  host,
  ...(hostAddress === undefined ? {} : { hostAddress }),
  port,
});
