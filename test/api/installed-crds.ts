import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import type { KubeClient, KubeObject } from '../world/kubernetes/client.ts';
import { withApi } from '../world/kubernetes/test-api.ts';

const crd = async (plural: string): Promise<KubeObject> =>
  parse(await readFile(new URL(`../../crds/${plural}.yaml`, import.meta.url), 'utf8')) as KubeObject;

/** Our two CRDs, as they are committed. */
export const ourCrds = async (): Promise<KubeObject[]> => [
  await crd('postgresqlinstances'),
  await crd('postgresqltenants'),
];

/** Lends an API server that has our two CRDs, and no object of theirs. */
export type LendKinds = (use: (client: KubeClient) => Promise<void>) => Promise<void>;

/** That of the stand-in. */
export const withOurKinds: LendKinds = async (use) => withApi(await ourCrds(), use);

export const tenantOf = (spec: object, name = 'orders'): KubeObject => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLTenant',
  metadata: { name, namespace: 'default' },
  spec: { instanceRef: { name: 'pg-main' }, ...spec },
});

export const instanceOf = (spec: object, name = 'pg-main'): KubeObject => ({
  apiVersion: 'pgtenancy.io/v1alpha1',
  kind: 'PostgreSQLInstance',
  metadata: { name },
  spec: { host: 'pg-main.example.internal', managementSecretRef: { name: 'pg-main-management' }, ...spec },
});
