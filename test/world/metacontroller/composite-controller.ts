import { z } from 'zod';

import type { KubeObject } from '../kubernetes/client.ts';
import { parseGoDuration } from './go-duration.ts';
import { labelSelector } from './label-selector.ts';

const defaultTimeoutMs = 10_000;

const webhook = z.strictObject({
  url: z.string().optional(),
  service: z
    .strictObject({
      name: z.string(),
      namespace: z.string(),
      port: z.number().default(80),
      protocol: z.string().default('http'),
    })
    .optional(),
  path: z.string().optional(),
  timeout: z.string().optional(),
  caBundle: z.strictObject({ inline: z.string() }).optional(),
  authorization: z
    .strictObject({
      // The real one has another field for `Basic`, and refuses it here.
      type: z
        .string()
        .refine((type) => type.trim().toLowerCase() !== 'basic')
        .optional(),
      secretRef: z.strictObject({ name: z.string(), namespace: z.string(), key: z.string() }),
    })
    .optional(),
});

// Only v2 is modelled, and it must be said: left out, the real default is v1, which hides cluster-scoped related objects.
const hook = z.strictObject({ version: z.literal('v2'), webhook });

/**
 * The part of a CompositeController's `spec` that is modelled. Anything else (v1 hooks, ETag, client certificates, rolling
 * updates) is refused loudly, so that no test can lean on something that the stand-in ignores.
 */
const compositeControllerSpec = z.strictObject({
  parentResource: z.strictObject({
    apiVersion: z.string(),
    resource: z.string(),
    labelSelector: labelSelector.optional(),
    ignoreStatusChanges: z.boolean().optional(),
  }),
  childResources: z
    .array(
      z.strictObject({
        apiVersion: z.string(),
        resource: z.string(),
        updateStrategy: z
          .strictObject({ method: z.enum(['OnDelete', 'InPlace', 'Recreate']).default('OnDelete') })
          .default({ method: 'OnDelete' }),
      }),
    )
    .default([]),
  hooks: z.strictObject({ sync: hook, finalize: hook.optional(), customize: hook.optional() }),
  resyncPeriodSeconds: z.number().int().optional(),
  generateSelector: z.literal(true),
});

export type CompositeControllerSpec = z.infer<typeof compositeControllerSpec>;
export type WebhookSpec = z.infer<typeof webhook>;
export type HookName = keyof CompositeControllerSpec['hooks'];

/** Throws a ZodError that names what is not modelled. */
export const parseCompositeController = (object: KubeObject): CompositeControllerSpec =>
  compositeControllerSpec.parse(object.spec);

/** `webhook.url`, or the address of the Service (without `.svc`, as the real one builds it). */
export const webhookUrl = ({ url, service, path = '' }: WebhookSpec): string => {
  if (url !== undefined) return url;
  if (service === undefined) throw new Error('webhook needs url, or service and path');
  return `${service.protocol}://${service.name}.${service.namespace}:${service.port}${path.startsWith('/') ? '' : '/'}${path}`;
};

/** Milliseconds; the default also stands for zero. */
export const webhookTimeoutMs = ({ timeout }: WebhookSpec): number => {
  const timeoutMs = timeout === undefined ? 0 : parseGoDuration(timeout);
  return timeoutMs > 0 ? timeoutMs : defaultTimeoutMs;
};

/** The name of the finalizer that keeps a parent until its finalize hook is done. */
export const finalizerOf = (controllerName: string): string =>
  `metacontroller.io/compositecontroller-${controllerName}`;

const withStrategies = z.array(z.looseObject({ updateStrategy: z.looseObject({}).optional() }));

/** A CompositeController as it stands in requests: what Metacontroller's own type always has is added. */
export const controllerInRequests = (controller: KubeObject): KubeObject => ({
  ...controller,
  spec: {
    ...controller.spec,
    childResources: withStrategies
      .parse(controller.spec?.['childResources'] ?? [])
      .map(({ updateStrategy, ...child }) => ({
        ...child,
        ...(updateStrategy === undefined ? {} : { updateStrategy: { ...updateStrategy, statusChecks: {} } }),
      })),
  },
  status: controller.status ?? {},
});
