import { z } from 'zod';

const conditionStatus = ['True', 'False', 'Unknown'] as const;

/** `metav1.Condition`, with one difference: `observedGeneration` is absent until the first conclusion. */
const conditionShape = z
  .object({
    type: z.string().min(1).max(316).meta({ description: 'What the condition is about.' }),
    status: z.enum(conditionStatus).meta({ description: 'True, False or Unknown (the last look failed).' }),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .meta({ description: 'A stable word for programs; see the table of reasons.' }),
    message: z
      .string()
      .max(32768)
      .meta({ description: 'A sentence for people, with the way out where one is needed.' }),
    lastTransitionTime: z
      .string()
      .max(64)
      .meta({ format: 'date-time', description: 'When the status last changed.' }),
    observedGeneration: z.int().min(0).optional().meta({
      format: 'int64',
      description: 'The generation for which it last came to a conclusion; absent before the first one.',
    }),
  })
  .meta({ description: 'One observation about the object.' });

/** Present, and True, only while they hold; kstatus, which GitOps tools wait by, takes the first of them for its answer. */
export const passingConditionTypes = ['Reconciling', 'Stalled'] as const;

export type Condition = z.infer<typeof conditionShape>;

export const conditionsShape = z
  .array(conditionShape)
  .max(16)
  .meta({
    description:
      'All conditions of the object: always all of them, but for Reconciling and Stalled, which come and go.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });

/** One server address as consumers may use it. */
export const endpointShape = z
  .object({
    host: z.string().max(253).meta({ description: 'DNS name of the server.' }),
    hostAddress: z
      .string()
      .max(45)
      .optional()
      .meta({ description: 'IP address of the server, where one is given.' }),
    port: z.int().min(1).max(65535).meta({ format: 'int32', description: 'TCP port.' }),
  })
  .meta({ description: 'Where the server is reached; the certificate covers both names.' });

export type Endpoint = z.infer<typeof endpointShape>;
