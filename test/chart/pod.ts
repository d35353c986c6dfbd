import { z } from 'zod';

import type { Rendered } from './chart.ts';

/* What the tests look at in a Pod. Strict where a field that they do not know would be a right that they overlook. */

const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.unknown().optional(),
});

const containerSecurity = z.strictObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
});

const podSecurity = z.strictObject({
  runAsNonRoot: z.literal(true),
  runAsUser: z.number().min(1).optional(),
  runAsGroup: z.number().min(1).optional(),
  fsGroup: z.number().min(1).optional(),
  seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
});

export const podShape = z.object({
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  hostNetwork: z.undefined().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: podSecurity,
  // The operator's own is the first; others are what the values add.
  containers: z.tuple(
    [
      z.object({
        image: z.string(),
        args: z.array(z.string()).optional(),
        env: z.array(variable),
        ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).optional(),
        volumeMounts: z.array(
          z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
        ),
        securityContext: containerSecurity,
      }),
    ],
    z.looseObject({ name: z.string() }),
  ),
  volumes: z.array(z.looseObject({ name: z.string() })),
});

export const deploymentShape = z.object({
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
      spec: podShape,
    }),
  }),
});

export const podOf = (deployment: Rendered) => deploymentShape.parse(deployment).spec.template.spec;
