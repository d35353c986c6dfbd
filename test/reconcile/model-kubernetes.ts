import type { KubernetesReader } from '../../src/reconcile/ports.ts';
import { Secret } from '../../src/secret.ts';
import type { ModelState } from './model-state.ts';

/** Objects are handed out as copies: who changes one changes nothing in the cluster. */
const answer = <T>(value: T): Promise<T> => Promise.resolve(structuredClone(value));

export function modelKubernetes({ kubernetes }: ModelState): KubernetesReader {
  return {
    instance: (name) => answer(kubernetes.instances[name]),
    freshInstance: (name) => answer(kubernetes.instances[name]),
    tenant: (namespace, name) => answer(kubernetes.tenants[`${namespace}/${name}`]),
    externalSecret: (namespace, name) => answer(kubernetes.externalSecrets[`${namespace}/${name}`]),
    namespaceLabels: (name) => answer(kubernetes.namespaces[name]),
    namespaceEnding: (name) => answer(kubernetes.namespaces[name] === undefined),
    claimantsOf: (instanceName) =>
      answer(
        Object.entries(kubernetes.tenants)
          .filter(
            ([, { spec, status }]) =>
              spec.instanceRef.name === instanceName && status?.databaseName !== undefined,
          )
          .map(([key]) => key),
      ),
    tenantsOf: (instanceName) =>
      answer(
        Object.entries(kubernetes.tenants)
          .filter(([, tenant]) => tenant.spec.instanceRef.name === instanceName)
          .map(([key]) => key),
      ),
    managementSecret: (name) => {
      const data = kubernetes.managementSecrets[name];
      if (data === undefined) return Promise.resolve(undefined);
      const entries = Object.entries(data).map(([key, value]) => [key, new Secret(value)] as const);
      return Promise.resolve(Object.fromEntries(entries));
    },
  };
}
