import { z } from 'zod';

import { mapOf } from './first-fault.ts';
import { metadataShape } from './metadata.ts';

export const externalSecretApiVersion = 'external-secrets.io/v1';
/** Metacontroller's key for this kind in `children` (hook version v2). */
export const externalSecretKey = 'ExternalSecret.external-secrets.io/v1';

const observedStatusShape = z.looseObject({
  syncedResourceVersion: z.string().optional(),
  conditions: z
    .array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        reason: z.string().optional(),
        message: z.string().optional(),
      }),
    )
    .optional(),
});

/** Somebody may have emptied it; nothing in it is what it should be then, and it is written anew. */
const observedSpecShape = z.record(z.string(), z.unknown()).default({});

/** An ExternalSecret as the API server has it. Its spec is compared, and unknown fields of it are repeated. */
export const observedExternalSecretShape = z.looseObject({
  apiVersion: z.literal(externalSecretApiVersion),
  kind: z.literal('ExternalSecret'),
  metadata: metadataShape.extend({ namespace: z.string().min(1) }),
  spec: observedSpecShape,
  // A status that cannot be read proves nothing, like none at all.
  status: observedStatusShape.optional().catch(undefined),
});

/** As much of an ExternalSecret as it takes to repeat it as it is. */
export const repeatableExternalSecretShape = z.looseObject({
  apiVersion: z.literal(externalSecretApiVersion),
  kind: z.literal('ExternalSecret'),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    labels: mapOf(z.string()).optional(),
  }),
  spec: observedSpecShape,
});

export type ObservedExternalSecret = z.infer<typeof observedExternalSecretShape>;

/** The ExternalSecret that we write, every defaulted field written out, so that no sync finds a difference. */
export interface DesiredExternalSecret {
  readonly apiVersion: typeof externalSecretApiVersion;
  readonly kind: 'ExternalSecret';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}
