import type { KubeObject, Resource } from './kubernetes/client.ts';
import { clusterSecretStores, secrets } from './kubernetes/resources.ts';
import { operatorNamespace } from './names.ts';
import type { KvSetUp } from './servers/kv.ts';
import type { ManagementRole } from './servers/management-role.ts';
import type { OpenBao } from './servers/openbao.ts';

interface Subject {
  readonly openBao: OpenBao;
  /** Where the tenants' records are. */
  readonly kvSetUp: KvSetUp;
  /** Where the platform team keeps management logins. */
  readonly platform: KvSetUp;
}

/** What a platform team has installed before the first Instance: two stores of External Secrets and their tokens. */
export const platformObjects = ({ openBao, kvSetUp, platform }: Subject) => [
  ...store(openBao, 'postgresql-tenants', kvSetUp),
  ...store(openBao, 'platform', platform),
];

/** The operator's login at PostgreSQL, as External Secrets would bring it. */
export const managementSecret = ({ username, password }: ManagementRole): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pg-main-management', namespace: operatorNamespace },
  stringData: { username, password },
});

const store = (openBao: OpenBao, name: string, kv: KvSetUp): { resource: Resource; object: KubeObject }[] => [
  {
    resource: secrets,
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}-token`, namespace: 'external-secrets' },
      stringData: { token: kv.readerToken },
    },
  },
  {
    resource: clusterSecretStores,
    object: {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ClusterSecretStore',
      metadata: { name },
      spec: {
        provider: {
          vault: {
            server: openBao.url,
            path: kv.mount,
            version: 'v2',
            auth: { tokenSecretRef: { name: `${name}-token`, namespace: 'external-secrets', key: 'token' } },
          },
        },
      },
    },
  },
];
