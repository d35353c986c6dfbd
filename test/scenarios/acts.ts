import type { TenantPhase } from '../../src/api/tenant.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { phaseOf } from './conditions.ts';
import type { KubeObject } from '../world/kubernetes/client.ts';
import { splitName, type TenantName } from './tenants.ts';

/** One line of the hook's log about a step. */
export interface LoggedAct {
  readonly subject: string;
  readonly step: string;
  readonly outcome: string;
  /** Milliseconds since the epoch at which it was done. */
  readonly at: number;
}

/** The steps that a log tells of, of one Tenant, in their order. */
export function actsIn(log: string, name: TenantName): LoggedAct[] {
  const { namespace, name: own } = splitName(name);
  return log.split('\n').flatMap((line) => {
    const act = actOf(line);
    return act?.subject === `${namespace}/${own}` ? [act] : [];
  });
}

/** undefined: the line is about something else. */
export function actOf(line: string): LoggedAct | undefined {
  if (!line.includes('"step taken"')) return undefined;
  const parsed = JSON.parse(line) as Omit<LoggedAct, 'at'> & { time: string };
  return { ...parsed, at: Date.parse(parsed.time) };
}

/** In which phase a step may be taken, on the way up and on the way down. */
export const phaseOfStep: Readonly<Record<string, TenantPhase>> = {
  ClaimNames: 'Planned',
  WriteCredential: 'Planned',
  CreateRole: 'CredentialCreated',
  CreateDatabase: 'RoleCreated',
  OpenDatabase: 'RoleCreated',
  InstallExtension: 'DatabaseCreated',
  CloseDatabase: 'DatabaseCreated',
  TombstoneDatabase: 'DatabaseCreated',
  DropDatabase: 'DatabaseCreated',
  DropRole: 'RoleCreated',
  DeleteCredential: 'CredentialCreated',
  ReleaseNames: 'Planned',
};

/**
 * The phase that was recorded when the step was taken: that of the parent in the call in which it was taken, which
 * Metacontroller had read back from the API server before it called.
 */
export function recordedPhase(
  calls: readonly HookCall[],
  name: TenantName,
  act: LoggedAct,
): string | undefined {
  const { namespace, name: own } = splitName(name);
  const call = calls.find(
    (one) =>
      one.namespace === namespace &&
      one.name === own &&
      one.hook !== 'customize' &&
      one.startedAt <= act.at &&
      act.at <= one.startedAt + one.durationMs,
  );
  return phaseOf(call?.request['parent'] as KubeObject | undefined);
}
