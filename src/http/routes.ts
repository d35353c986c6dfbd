import type { z } from 'zod';

import {
  instanceHookRequestShape,
  tenantCustomizeRequestShape,
  tenantHookRequestShape,
  type CustomizeResponse,
  type TenantHookRequest,
} from '../api/hook.ts';
import { apiVersion } from '../api/metadata.ts';
import type { Context } from '../reconcile/context.ts';
import { finalizeInstance, syncInstance } from '../reconcile/instance.ts';
import { finalizeTenant, syncTenant } from '../reconcile/tenant.ts';

/** Reads a body, and says how to answer it, or where it is wrong (paths only, never what stands there). */
type Route = (body: unknown) =>
  | {
      readonly kind: 'request';
      readonly handle: (requestId: string) => Promise<unknown>;
      /** Name of the Instance that the work is for; absent: it needs none. */
      readonly instance?: string;
    }
  | { readonly kind: 'malformed'; readonly fields: readonly string[] };

export type Routes = Readonly<Record<string, Route>>;

/** The five hooks of the two CompositeControllers; `contextOf` gives what the request of this id is handled with. */
export const hookRoutes = (contextOf: (requestId: string) => Context): Routes => ({
  '/tenants/sync': route(tenantHookRequestShape, (body, id) => syncTenant(contextOf(id), body), ofTenant),
  '/tenants/finalize': route(
    tenantHookRequestShape,
    (body, id) => finalizeTenant(contextOf(id), body),
    ofTenant,
  ),
  '/tenants/customize': route(tenantCustomizeRequestShape, ({ parent }) =>
    related(parent.spec.instanceRef.name),
  ),
  '/instances/sync': route(
    instanceHookRequestShape,
    (body, id) => syncInstance(contextOf(id), body),
    ({ parent }) => parent.metadata.name,
  ),
  '/instances/finalize': route(
    instanceHookRequestShape,
    (body, id) => finalizeInstance(contextOf(id), body),
    ({ parent }) => parent.metadata.name,
  ),
});

const ofTenant = ({ parent }: TenantHookRequest): string => parent.spec.instanceRef.name;

const route =
  <Body>(
    shape: z.ZodType<Body>,
    answer: (body: Body, requestId: string) => unknown,
    instanceOf?: (body: Body) => string,
  ): Route =>
  (body) => {
    const read = shape.safeParse(body);
    return read.success
      ? {
          kind: 'request',
          handle: async (requestId) => await answer(read.data, requestId),
          ...(instanceOf === undefined ? {} : { instance: instanceOf(read.data) }),
        }
      : {
          kind: 'malformed',
          fields: read.error.issues.slice(0, 10).map(({ path }) => path.map(plain).join('.')),
        };
  };

/** Keys of maps are content: whoever sends them could write into the log. */
const plain = (key: PropertyKey): string => (/^[A-Za-z0-9]{1,40}$/.test(String(key)) ? String(key) : '*');

/** No I/O: Metacontroller calls it inside its event handlers, for every Tenant. It depends on the spec only. */
const related = (name: string): CustomizeResponse => ({
  relatedResources: [{ apiVersion, resource: 'postgresqlinstances', names: [name] }],
});
