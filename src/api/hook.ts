import { z } from 'zod';

import {
  externalSecretKey,
  repeatableExternalSecretShape,
  type DesiredExternalSecret,
} from './external-secret.ts';
import { mapOf } from './first-fault.ts';
import { instanceShape } from './instance.ts';
import { tenantShape } from './tenant.ts';

const anyObject = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

/** `{ "<Kind>.<group>/<version>": { "<namespace>/<name>": object } }` (hook version v2). */
const objectMap = mapOf(mapOf(anyObject));

/**
 * What we may have to repeat must be what its key says: an answer without a child that is there would delete it, and an
 * answer with another one would make that. Children of other kinds or names are neither believed nor repeated.
 */
const childrenShape = objectMap.superRefine((children, context) => {
  for (const [key, object] of Object.entries(children[externalSecretKey] ?? {})) {
    const { data } = repeatableExternalSecretShape.safeParse(object);
    if (data !== undefined && `${data.metadata.namespace}/${data.metadata.name}` === key) continue;
    context.addIssue({ code: 'custom', path: [externalSecretKey, key], message: 'not what its key says' });
    return;
  }
});

/** Metacontroller's request, exactly these keys (measured); the parent is checked by the shape given. */
const hookRequest = <Parent extends z.ZodType>(parent: Parent) =>
  z.strictObject({
    controller: z.looseObject({}),
    parent,
    children: childrenShape,
    related: objectMap,
    finalizing: z.boolean(),
  });

export const tenantHookRequestShape = hookRequest(tenantShape);
export const instanceHookRequestShape = hookRequest(instanceShape);
export const tenantCustomizeRequestShape = z.strictObject({
  controller: z.looseObject({}),
  parent: tenantShape,
});

export type TenantHookRequest = z.infer<typeof tenantHookRequestShape>;
export type InstanceHookRequest = z.infer<typeof instanceHookRequestShape>;

/**
 * Metacontroller's response. `status` replaces the whole status, `children` the whole list: a child that is left out
 * is deleted. `resyncAfterSeconds` must be above 0; `finalized` belongs to finalize only.
 */
export interface HookResponse<Status> {
  readonly status: Status;
  readonly children: readonly DesiredExternalSecret[];
  readonly resyncAfterSeconds?: number;
  readonly finalized?: boolean;
}

export interface CustomizeResponse {
  readonly relatedResources: readonly {
    readonly apiVersion: string;
    readonly resource: string;
    readonly names: readonly string[];
  }[];
}
