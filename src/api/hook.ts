import { z } from 'zod';

import type { DesiredExternalSecret } from './external-secret.ts';
import { instanceShape } from './instance.ts';
import { tenantShape } from './tenant.ts';

/** `{ "<Kind>.<group>/<version>": { "<namespace>/<name>": object } }` (hook version v2). */
const objectMap = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Metacontroller's request, exactly these keys (measured); the parent is checked by the shape given. */
const hookRequest = <Parent extends z.ZodType>(parent: Parent) =>
  z.strictObject({
    controller: z.looseObject({}),
    parent,
    children: objectMap,
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
