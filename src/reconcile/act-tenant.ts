import type { DescentStep, ExtensionInstall, TenantStep } from '../domain/steps.ts';
import { Trouble } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Context } from './context.ts';
import type { Observation } from './observation.ts';
import { newPassword } from './password.ts';
import type { Server, TenantHandle } from './ports.ts';

/** Every step but those that are the answer's list of children, which Metacontroller writes. */
export type WriteStep = Exclude<
  TenantStep | DescentStep,
  { kind: 'PublishExternalSecret' | 'WithdrawExternalSecret' }
>;

/** Below the hook's timeout, as in PostgreSQL's write transactions: a late call must not act on what was so before. */
const decisionMilliseconds = 8_000;

/**
 * Takes one step of a Tenant. Whether it may be taken was decided before; whether the world is still as it was seen is
 * checked again by the write itself. Throws `Trouble`. The effect is read back by the caller, never assumed.
 */
export async function actOnTenant(
  context: Context,
  observation: Observation,
  step: WriteStep,
): Promise<void> {
  switch (step.kind) {
    case 'WriteCredential':
      return writeCredential(context, observation, step);
    case 'DeleteCredential':
      return deleteCredential(context, observation);
    case 'InstallExtension':
      return installExtension(context, observation, step.extension);
    case 'SetPassword':
      return setPassword(context, observation);
    default:
      return actOnServer(observation, step);
  }
}

type ServerStep = Exclude<
  WriteStep,
  { kind: 'WriteCredential' | 'DeleteCredential' | 'InstallExtension' | 'SetPassword' }
>;

async function actOnServer(observation: Observation, step: ServerStep): Promise<void> {
  const { server, handle } = serverAndHandle(observation);
  const { wish } = observation.facts;
  const { tenants } = server;
  switch (step.kind) {
    case 'ClaimNames':
      return tenants.claim(handle, { namespace: wish.namespace, name: wish.name });
    case 'CreateRole':
      return tenants.createRole(handle, passwordOf(observation), wish.connectionLimit);
    case 'RepairRole':
      return tenants.repairRole(handle, step.repair);
    case 'ReturnMembership':
      return tenants.returnMembership(handle);
    case 'CreateDatabase':
      return tenants.createDatabase(handle);
    case 'OpenDatabase':
      return tenants.openDatabase(handle);
    case 'ForgetDatabase':
      return tenants.forgetDatabase(handle);
    case 'MoveToInstance':
      return tenants.moveToInstance(handle, step.fromInstanceUid);
    case 'MarkRetained':
      return tenants.retain(handle);
    case 'ReopenRetained':
      return tenants.reopenRetained(handle);
    case 'CloseDatabase':
      return tenants.close(handle);
    case 'TombstoneDatabase':
      return tenants.tombstone(handle);
    case 'DropDatabase':
      return tenants.dropDatabase(handle);
    case 'DropRole':
      return tenants.dropRole(handle);
    case 'ReleaseNames':
      return tenants.release(handle);
  }
}

/** The password exists in OpenBao before anything else has it, and a new one is made only for a new record. */
async function writeCredential(
  { credentials, clock }: Context,
  observation: Observation,
  { record, cas, password }: Extract<TenantStep, { kind: 'WriteCredential' }>,
): Promise<void> {
  if (clock.now() - observation.at > decisionMilliseconds) {
    throw new Trouble('StaleDecision', 'the observation behind this write is too old');
  }
  const secret = password === 'new' ? newPassword() : passwordOf(observation);
  await credentials.write(observation.path, { record, password: secret }, cas);
}

/** Deleted is what is seen to be gone: a standby would answer 204 without deleting. */
async function deleteCredential({ credentials }: Context, { path }: Observation): Promise<void> {
  await credentials.delete(path);
  if (!(await credentials.isGone(path))) {
    throw new Trouble('OpenBaoError', 'OpenBao still has the record after deleting it');
  }
}

async function setPassword(context: Context, observation: Observation): Promise<void> {
  const { server, handle } = serverAndHandle(observation);
  await server.tenants.setPassword(handle, passwordOf(observation));
  tried(context, observation, { passwordSet: true });
}

/** An installation that fails is remembered for a while, so that it does not hold up the good ones. */
async function installExtension(
  context: Context,
  observation: Observation,
  extension: ExtensionInstall,
): Promise<void> {
  const { server, handle } = serverAndHandle(observation);
  try {
    await server.tenants.installExtension(handle, passwordOf(observation), extension);
    tried(context, observation);
  } catch (error) {
    if (error instanceof Trouble && lasting(error)) {
      const note = { reason: error.reason, message: `extension "${extension.name}": ${error.message}` };
      tried(context, observation, { failure: { [extension.name]: note } });
    }
    throw error;
  }
}

/** The server looked at this extension and said no; the rest says nothing about the extension. */
const lasting = ({ reason, outcomeUnknown }: Trouble): boolean =>
  !outcomeUnknown &&
  !['Busy', 'LockHeld', 'StaleDecision', 'InstanceUnreachable', 'PasswordRejected'].includes(reason);

function tried(
  { sessions }: Context,
  { facts, sessionKey }: Observation,
  what?: Parameters<Context['sessions']['tried']>[2],
): void {
  if (sessionKey !== null) sessions.tried(facts.wish.uid, sessionKey, what);
}

function serverAndHandle({ server, handle }: Observation): { server: Server; handle: TenantHandle } {
  if (server === undefined || handle === undefined) throw new Error('a step was decided without a catalog');
  return { server, handle };
}

function passwordOf({ password }: Pick<Observation, 'password'>): Secret {
  if (password === undefined) throw new Error('a step was decided without a live record');
  return password;
}
