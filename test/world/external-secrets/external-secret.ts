import { z } from 'zod';

import type { KubeObject } from '../kubernetes/client.ts';

/** Where a value is in the store. Only the strategies that change nothing are supported. */
const remoteRef = z.object({
  key: z.string(),
  version: z.string().optional(),
  property: z.string().optional(),
  conversionStrategy: z.literal('Default').default('Default'),
  decodingStrategy: z.literal('None').default('None'),
  metadataPolicy: z.literal('None').default('None'),
});

const texts = z.record(z.string(), z.string());

const template = z.object({
  engineVersion: z.literal('v2').default('v2'),
  mergePolicy: z.enum(['Replace', 'Merge']).default('Replace'),
  type: z.string().optional(),
  metadata: z
    .object({ labels: texts.default({}), annotations: texts.default({}) })
    .default({ labels: {}, annotations: {} }),
  data: texts.default({}),
});

const spec = z.object({
  refreshPolicy: z.enum(['CreatedOnce', 'Periodic', 'OnChange']).default('Periodic'),
  refreshInterval: z.string().default('1h0m0s'),
  secretStoreRef: z.object({ name: z.string(), kind: z.string().default('SecretStore') }),
  target: z
    .object({
      name: z.string().optional(),
      creationPolicy: z.enum(['Owner', 'Orphan', 'Merge']).default('Owner'),
      deletionPolicy: z.enum(['Retain', 'Delete', 'Merge']).default('Retain'),
      template: template.optional(),
    })
    .default({ creationPolicy: 'Owner', deletionPolicy: 'Retain' }),
  data: z.array(z.object({ secretKey: z.string(), remoteRef })).default([]),
  dataFrom: z.array(z.object({ extract: remoteRef })).default([]),
});

const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string().optional(),
});

const status = z.object({
  refreshTime: z.string().nullish(),
  syncedResourceVersion: z.string().optional(),
  conditions: z.array(condition).default([]),
  binding: z.object({ name: z.string() }).optional(),
});

export type Condition = z.infer<typeof condition>;
export type RemoteRef = z.infer<typeof remoteRef>;
export type Template = z.infer<typeof template>;

export interface ExternalSecret {
  readonly object: KubeObject;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly spec: z.infer<typeof spec>;
  readonly status: z.infer<typeof status>;
  /** The name of the Secret: that of the ExternalSecret unless `target.name` says otherwise. */
  readonly targetName: string;
}

/** @throws ZodError for what the stand-in does not support */
export function readExternalSecret(object: KubeObject): ExternalSecret {
  const { name, namespace = '', uid = '' } = object.metadata;
  const parsed = spec.parse(object.spec);
  return {
    ...{ object, name, namespace, uid, spec: parsed },
    status: status.parse(object.status ?? {}),
    targetName: parsed.target.name ?? name,
  };
}

/** The target's name without a look at the rest of the spec: for an index that must hold every object. */
export const targetNameOf = ({ metadata, spec: raw }: KubeObject): string =>
  z.object({ target: z.object({ name: z.string() }) }).safeParse(raw).data?.target.name ?? metadata.name;
