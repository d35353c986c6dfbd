import type { TenantPhase, TenantStatus } from '../api/tenant.ts';
import type { Context } from './context.ts';

/** How long a deletion waits for a registry that cannot be written before whoever may be let go is let go. */
const overdueMilliseconds = 10 * 60 * 1000;

export const isOverdue = ({ clock }: Context, deletionTimestamp: string | undefined): boolean =>
  deletionTimestamp !== undefined && clock.now() - Date.parse(deletionTimestamp) > overdueMilliseconds;

/** In these phases a deletion shuts and drops; both come below the ExternalSecret, so nothing is shut above them. */
const shutting: readonly (TenantPhase | undefined)[] = ['DatabaseCreated', 'RoleCreated'];

/** A Tenant that was never handed over has nothing that anybody could miss. */
export const mayBeShut = ({ phase, secretRef }: TenantStatus = {}): boolean =>
  secretRef !== undefined && shutting.includes(phase);
