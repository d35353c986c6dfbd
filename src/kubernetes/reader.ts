import type { KubernetesReader } from '../reconcile/ports.ts';
import { createGet } from './client.ts';
import { gatedGet } from './gated-get.ts';
import { decodeSecretData } from './management-secret.ts';
import { createMemory } from './memory.ts';
import { externalSecrets, instances, namespaces, secrets, tenants } from './objects.ts';
import { readObject } from './read-object.ts';
import { claimantsOf, tenantsOf } from './tenants-of.ts';

export interface KubernetesReaderOptions {
  readonly url: string;
  /** PEM bundle that stays; `caFile` wins over it. */
  readonly ca?: string | undefined;
  /** PEM bundle in a file that may be replaced. */
  readonly caFile?: string | undefined;
  /** The service account's token; read again every minute and at a 401. */
  readonly tokenFile?: string | undefined;
  readonly operatorNamespace: string;
  /** How long an Instance and a management Secret are remembered; 2 s. */
  readonly rememberMs?: number | undefined;
  /** Milliseconds that only grow. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Live reads through the API server, each bounded to 5 s, the list of Tenants to 10 s. Throws `KubernetesUnreachable`, `KubernetesForbidden` and
 * `KubernetesAnswerInvalid`; an object is undefined only when the API server itself says that it is not there.
 */
export const createKubernetesReader = (options: KubernetesReaderOptions): KubernetesReader => {
  const { operatorNamespace, rememberMs = 2_000, clock = () => performance.now() } = options;
  const get = gatedGet(createGet({ ...options, clock }), clock);

  const instanceMemory = createMemory({
    load: (name) => readObject(get, instances, name),
    rememberMs,
    clock,
  });
  const secretMemory = createMemory({
    load: async (name) => {
      const secret = await readObject(get, secrets, name, operatorNamespace);
      return secret === undefined ? undefined : decodeSecretData(secret.data ?? {});
    },
    rememberMs,
    clock,
  });

  return {
    instance: (name) => instanceMemory.get(name),
    freshInstance: (name) => instanceMemory.fresh(name),
    tenant: (namespace, name) => readObject(get, tenants, name, namespace),
    externalSecret: (namespace, name) => readObject(get, externalSecrets, name, namespace),
    namespaceLabels: async (name) => {
      const namespace = await readObject(get, namespaces, name);
      return namespace === undefined ? undefined : (namespace.metadata.labels ?? {});
    },
    namespaceEnding: async (name) => {
      const namespace = await readObject(get, namespaces, name);
      return namespace?.metadata.deletionTimestamp !== undefined || namespace === undefined;
    },
    tenantsOf: (instanceName) => tenantsOf(get, instanceName),
    claimantsOf: (instanceName) => claimantsOf(get, instanceName),
    managementSecret: (name) => secretMemory.get(name),
  };
};
