import { z } from 'zod';

/* What is read of a Pod or a Pod template, as an API server gives it: with all its defaults. */

const items = z
  .array(z.strictObject({ key: z.string(), path: z.string(), mode: z.int().optional() }))
  .optional();
const optional = z.boolean().optional();
const fieldRef = z.strictObject({ apiVersion: z.literal('v1').optional(), fieldPath: z.string() });
const keyRef = z.strictObject({ name: z.string(), key: z.string(), optional });
const downwardItems = z.array(z.strictObject({ path: z.string(), fieldRef, mode: z.int().optional() }));

const source = z.strictObject({
  serviceAccountToken: z
    .strictObject({
      path: z.string(),
      audience: z.string().optional(),
      expirationSeconds: z.int().default(3600),
    })
    .optional(),
  configMap: z.strictObject({ name: z.string(), items, optional }).optional(),
  secret: z.strictObject({ name: z.string(), items, optional }).optional(),
  downwardAPI: z.strictObject({ items: downwardItems }).optional(),
});

/** Strict: a kind of volume that is not materialised must not pass for an empty folder. */
const volume = z.strictObject({
  name: z.string(),
  secret: z.strictObject({ secretName: z.string(), items, optional, defaultMode: z.int() }).optional(),
  configMap: z.strictObject({ name: z.string(), items, optional, defaultMode: z.int() }).optional(),
  downwardAPI: z.strictObject({ items: downwardItems, defaultMode: z.int() }).optional(),
  projected: z.strictObject({ sources: z.array(source), defaultMode: z.int() }).optional(),
  emptyDir: z.looseObject({}).optional(),
});

const variable = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({
      fieldRef: fieldRef.optional(),
      secretKeyRef: keyRef.optional(),
      configMapKeyRef: keyRef.optional(),
    })
    .optional(),
});

const users = { runAsUser: z.int().optional(), runAsGroup: z.int().optional() };

const container = z.object({
  name: z.string(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  workingDir: z.string().optional(),
  env: z.array(variable).default([]),
  envFrom: z.undefined().optional(),
  lifecycle: z.undefined().optional(),
  ports: z.array(z.object({ name: z.string().optional(), containerPort: z.int() })).default([]),
  readinessProbe: z
    .object({
      httpGet: z.object({
        path: z.string().default('/'),
        port: z.union([z.string(), z.int()]),
        scheme: z.enum(['HTTP', 'HTTPS']).default('HTTP'),
      }),
    })
    .optional(),
  securityContext: z.object(users).optional(),
  volumeMounts: z
    .array(
      z.strictObject({
        name: z.string(),
        mountPath: z.string(),
        readOnly: z.boolean().optional(),
        recursiveReadOnly: z.string().optional(),
      }),
    )
    .default([]),
});

/** One container and no init containers: that is all that is run here, and anything else is an error. */
export const podTemplate = z.object({
  metadata: z
    .object({
      name: z.string().optional(),
      namespace: z.string().optional(),
      uid: z.string().optional(),
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
  spec: z.object({
    containers: z.tuple([container]),
    initContainers: z.undefined().optional(),
    serviceAccountName: z.string().default('default'),
    terminationGracePeriodSeconds: z.int().default(30),
    activeDeadlineSeconds: z.int().optional(),
    securityContext: z.object({ ...users, fsGroup: z.int().optional() }).default({}),
    volumes: z.array(volume).default([]),
  }),
});

export type PodTemplate = z.infer<typeof podTemplate>;
export type Container = PodTemplate['spec']['containers'][0];
export type Volume = z.infer<typeof volume>;
export type ProjectedSource = z.infer<typeof source>;
