import type { z } from 'zod';

import {
  instanceHookRequestShape,
  tenantCustomizeRequestShape,
  tenantHookRequestShape,
  type CustomizeResponse,
} from '../api/hook.ts';
import { apiVersion } from '../api/metadata.ts';
import type { Context } from '../reconcile/context.ts';
import { finalizeInstance, syncInstance } from '../reconcile/instance.ts';
import { finalizeTenant, syncTenant } from '../reconcile/tenant.ts';

/** Reads a body, and says how to answer it, or where it is wrong (paths only, never what stands there). */
type Route = (
  body: unknown,
) =>
  | { readonly kind: 'request'; readonly handle: () => Promise<unknown> }
  | { readonly kind: 'malformed'; readonly fields: readonly string[] };

export type Routes = Readonly<Record<string, Route>>;

/** The five hooks of the two CompositeControllers. */
export const hookRoutes = (context: Context): Routes => ({
  '/tenants/sync': route(tenantHookRequestShape, (body) => syncTenant(context, body)),
  '/tenants/finalize': route(tenantHookRequestShape, (body) => finalizeTenant(context, body)),
  '/tenants/customize': route(tenantCustomizeRequestShape, ({ parent }) =>
    related(parent.spec.instanceRef.name),
  ),
  '/instances/sync': route(instanceHookRequestShape, (body) => syncInstance(context, body)),
  '/instances/finalize': route(instanceHookRequestShape, (body) => finalizeInstance(context, body)),
});

const route =
  <Body>(shape: z.ZodType<Body>, answer: (body: Body) => unknown): Route =>
  (body) => {
    const read = shape.safeParse(body);
    return read.success
      ? { kind: 'request', handle: async () => await answer(read.data) }
      : {
          kind: 'malformed',
          fields: read.error.issues.slice(0, 10).map(({ path }) => path.map(String).join('.')),
        };
  };

/** No I/O: Metacontroller calls it inside its event handlers, for every Tenant. It depends on the spec only. */
const related = (name: string): CustomizeResponse => ({
  relatedResources: [{ apiVersion, resource: 'postgresqlinstances', names: [name] }],
});
