import { z } from 'zod';

import { externalSecretApiVersion, observedExternalSecretShape } from '../api/external-secret.ts';
import { instanceShape } from '../api/instance.ts';
import { apiVersion } from '../api/metadata.ts';
import { tenantShape } from '../api/tenant.ts';

/** How one kind of object is reached and read. */
export interface Resource<T> {
  readonly kind: string;
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly root: string;
  readonly plural: string;
  readonly shape: z.ZodType<T>;
}

const named = z.looseObject({ name: z.string() });

export const instances = {
  kind: 'PostgreSQLInstance',
  root: `/apis/${apiVersion}`,
  plural: 'postgresqlinstances',
  shape: instanceShape,
} as const;

export const tenants = {
  kind: 'PostgreSQLTenant',
  root: `/apis/${apiVersion}`,
  plural: 'postgresqltenants',
  shape: tenantShape,
} as const;

export const externalSecrets = {
  kind: 'ExternalSecret',
  root: `/apis/${externalSecretApiVersion}`,
  plural: 'externalsecrets',
  shape: observedExternalSecretShape,
} as const;

export const namespaces = {
  kind: 'Namespace',
  root: '/api/v1',
  plural: 'namespaces',
  shape: z.object({
    kind: z.literal('Namespace'),
    metadata: named.extend({
      labels: z.record(z.string(), z.string()).optional(),
      deletionTimestamp: z.string().optional(),
    }),
  }),
} as const;

export const secrets = {
  kind: 'Secret',
  root: '/api/v1',
  plural: 'secrets',
  shape: z.object({
    kind: z.literal('Secret'),
    metadata: named,
    /** Values in base64. */
    data: z.record(z.string(), z.base64()).nullish(),
  }),
} as const;
