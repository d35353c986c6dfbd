import { z } from 'zod';

import { listOf, mapOf } from './first-fault.ts';

const labelMap = mapOf(z.string());

/** The part of ObjectMeta that decisions use; the API server is the judge of the rest. */
export const metadataShape = z.looseObject({
  // What no API server would have let in is not looked at: it goes into paths and statements.
  name: z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/),
  namespace: z.string().optional(),
  uid: z.string().regex(/^[0-9A-Za-z][-0-9A-Za-z]{0,62}$/),
  generation: z.int(),
  deletionTimestamp: z.string().optional(),
  labels: labelMap.optional(),
  annotations: labelMap.optional(),
  finalizers: listOf(z.string()).optional(),
  ownerReferences: listOf(z.looseObject({ uid: z.string(), controller: z.boolean().optional() })).optional(),
});

/** The annotation that carries a human's word for a loss; its value is the token of the condition's message. */
export const confirmAnnotation = 'pgtenancy.io/confirm';

export const apiGroup = 'pgtenancy.io';
export const apiVersion = 'pgtenancy.io/v1alpha1';
