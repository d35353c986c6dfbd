import type { KubernetesReader } from '../reconcile/ports.ts';
import { timed, type Call } from './call.ts';

export const kubernetesKinds = [
  'PostgreSQLInstance',
  'PostgreSQLTenant',
  'PostgreSQLTenantList',
  'ExternalSecret',
  'Namespace',
  'Secret',
] as const;
export type KubernetesKind = (typeof kubernetesKinds)[number];

/** The same reader; each read is told of, also one that is answered from what was read a moment ago. */
export function measuredKubernetes(
  reader: KubernetesReader,
  tell: (call: Call<KubernetesKind>) => void,
): KubernetesReader {
  const time = timed(tell);
  return {
    instance: (name) => time('PostgreSQLInstance', () => reader.instance(name)),
    freshInstance: (name) => time('PostgreSQLInstance', () => reader.freshInstance(name)),
    tenant: (namespace, name) => time('PostgreSQLTenant', () => reader.tenant(namespace, name)),
    externalSecret: (namespace, name) => time('ExternalSecret', () => reader.externalSecret(namespace, name)),
    namespaceLabels: (name) => time('Namespace', () => reader.namespaceLabels(name)),
    namespaceEnding: (name) => time('Namespace', () => reader.namespaceEnding(name)),
    claimantsOf: (instanceName) => time('PostgreSQLTenantList', () => reader.claimantsOf(instanceName)),
    tenantsOf: (instanceName) => time('PostgreSQLTenantList', () => reader.tenantsOf(instanceName)),
    managementSecret: (name) => time('Secret', () => reader.managementSecret(name)),
  };
}
