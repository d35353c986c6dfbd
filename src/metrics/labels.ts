import { reasons, type Reason } from '../domain/reasons.ts';
import type { DescentStep, InstanceStep, TenantStep } from '../domain/steps.ts';

/** How a call or a step ended. `Bug`: with an error that is no `Trouble`. */
export type Outcome = 'ok' | 'Bug' | Reason;

/** Every step once; the compiler misses none. */
const steps: Readonly<Record<(TenantStep | DescentStep | InstanceStep)['kind'], true>> = {
  ClaimNames: true,
  WriteCredential: true,
  CreateRole: true,
  RepairRole: true,
  ReturnMembership: true,
  SetPassword: true,
  CreateDatabase: true,
  OpenDatabase: true,
  InstallExtension: true,
  PublishExternalSecret: true,
  ForgetDatabase: true,
  MoveToInstance: true,
  MarkRetained: true,
  ReopenRetained: true,
  WithdrawExternalSecret: true,
  CloseDatabase: true,
  TombstoneDatabase: true,
  DropDatabase: true,
  DropRole: true,
  DeleteCredential: true,
  ReleaseNames: true,
  MigrateRegistry: true,
  RegisterInstance: true,
  AcceptServer: true,
};

/**
 * Gives a function that lets only the values of a closed list become labels; any other one is `other`. Each value of a
 * label is a time series that stays for good, so what anybody can make up must not become one.
 */
export const oneOf = (values: Iterable<string>): ((value: string) => string) => {
  const known = new Set(values);
  return (value) => (known.has(value) ? value : 'other');
};

export const stepKinds: readonly string[] = Object.keys(steps);

export const stepLabel = oneOf(stepKinds);
export const outcomeLabel = oneOf(['ok', 'Bug', ...Object.keys(reasons)]);
