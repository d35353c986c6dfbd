import type { PostgreSQLTenant } from '../api/tenant.ts';
import type { DescentFacts } from '../domain/facts.ts';

type Metadata = Pick<PostgreSQLTenant['metadata'], 'finalizers'>;

/** Metacontroller names its finalizer after the CompositeController, which a platform may name as it likes. */
const ours = 'metacontroller.io/compositecontroller-';

export const isHeld = ({ finalizers = [] }: Metadata): boolean =>
  finalizers.some((name) => name.startsWith(ours));

/** The garbage collector's own finalizers, as Kubernetes names them. */
export function collectorOf({ finalizers = [] }: Metadata): DescentFacts['collector'] {
  if (finalizers.includes('orphan')) return 'orphan';
  return finalizers.includes('foregroundDeletion') ? 'foreground' : null;
}
