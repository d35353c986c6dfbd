import { z } from 'zod';

import type { Rendered } from './chart.ts';

const webhook = z.strictObject({
  url: z.string(),
  timeout: z.string(),
  caBundle: z.strictObject({ inline: z.string() }).optional(),
  authorization: z
    .strictObject({
      secretRef: z.strictObject({ name: z.string(), namespace: z.string(), key: z.string() }),
    })
    .optional(),
});

const controllerShape = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.object({
    resyncPeriodSeconds: z.number(),
    hooks: z.record(z.string(), z.strictObject({ version: z.literal('v2'), webhook })),
  }),
});

/** The CompositeControllers among some objects, in order of name. */
export const controllersIn = (objects: readonly Rendered[]) =>
  objects
    .filter(({ kind }) => kind === 'CompositeController')
    .map((object) => controllerShape.parse(object))
    .sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));

/** Every webhook of them. */
export const webhooksIn = (objects: readonly Rendered[]) =>
  controllersIn(objects).flatMap(({ spec }) => Object.values(spec.hooks).map((hook) => hook.webhook));
