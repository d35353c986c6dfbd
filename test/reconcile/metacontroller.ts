import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

import {
  externalSecretKey,
  type DesiredExternalSecret,
  type ObservedExternalSecret,
} from '../../src/api/external-secret.ts';
import { tenantHookRequestShape, type HookResponse, type TenantHookRequest } from '../../src/api/hook.ts';
import { tenantStatusShape, type PostgreSQLTenant, type TenantStatus } from '../../src/api/tenant.ts';
import { Trouble } from '../../src/errors.ts';
import { finalizeTenant, syncTenant } from '../../src/reconcile/tenant.ts';
import { recordStatus } from '../status-record.ts';
import { childKey, tenantKey } from './model-state.ts';
import type { ModelWorld } from './model-world.ts';

type Response = HookResponse<TenantStatus>;

export interface Turn {
  readonly request: TenantHookRequest;
  /** undefined: the hook threw, which HTTP answers with 429 or 500. */
  readonly answer: Response | undefined;
  readonly error: unknown;
  readonly writes: readonly string[];
  readonly statusChanged: boolean;
  readonly childrenChanged: boolean;
}

/** The CRD's schema, which would silently cut off anything else. */
const completeStatus = tenantStatusShape.strict();

/** As it goes over the wire: undefined fields are left out. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** The request that Metacontroller would send for the Tenant as it is now. */
export function requestOf({ state }: ModelWorld, key = tenantKey): TenantHookRequest {
  const parent = state.kubernetes.tenants[key];
  assert.ok(parent !== undefined, `there is no Tenant ${key}`);
  const children = Object.entries(state.kubernetes.externalSecrets).filter(([, { metadata }]) =>
    metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid),
  );
  return tenantHookRequestShape.parse(
    overTheWire({
      controller: {},
      parent,
      children: { [externalSecretKey]: Object.fromEntries(children) },
      related: {},
      finalizing: parent.metadata.deletionTimestamp !== undefined,
    }),
  );
}

/** Sends one request and checks what every answer must keep to. Throws what the hook throws. */
export async function post(world: ModelWorld, request: TenantHookRequest): Promise<Response> {
  const before = world.gate.calls.length;
  const hook = request.finalizing ? finalizeTenant : syncTenant;
  const recorded = recordedStatus(world, request);
  const answer = await hook(world.context, request);
  checkAnswer(request, recorded, overTheWire(answer) as Response);
  const writes = world.writesSince(before);
  assert.ok(writes.length <= 1, `more than one write in one call: ${writes.join(', ')}`);
  return answer;
}

/** One round: post, then do with the answer what Metacontroller does. `lose`: it never arrives. */
export async function turn(world: ModelWorld, lose = false): Promise<Turn> {
  const request = requestOf(world);
  const calls = world.gate.calls.length;
  const { answer, error } = await post(world, request).then(
    (value) => ({ answer: value, error: undefined }),
    (reason: unknown) => ({ answer: undefined, error: reason }),
  );
  const writes = world.writesSince(calls);
  if (answer === undefined || lose) {
    if (answer === undefined) expectThrown(error);
    world.advance(1);
    return { request, answer, error, writes, statusChanged: false, childrenChanged: false };
  }
  const childrenChanged = applyChildren(world, answer.children);
  const statusChanged = applyStatus(world, answer);
  if (world.externalSecretsRuns) projectSecrets(world);
  if (!statusChanged && !childrenChanged) world.advance(answer.resyncAfterSeconds ?? 0);
  return { request, answer, error, writes, statusChanged, childrenChanged };
}

/** Rounds until nothing changes at the top any more, or the Tenant is gone. */
export async function settle(world: ModelWorld, most = 120): Promise<Turn[]> {
  const turns: Turn[] = [];
  while (turns.length < most) {
    if (world.state.kubernetes.tenants[tenantKey] === undefined) return turns;
    const last = await turn(world);
    turns.push(last);
    if (isAtRest(last)) return turns;
  }
  const { answer } = turns.at(-1) ?? {};
  assert.fail(`not settled after ${most} rounds: ${JSON.stringify(answer?.status)}`);
}

const isAtRest = ({ answer, statusChanged, childrenChanged, writes }: Turn): boolean =>
  answer?.status.phase === 'Ready' &&
  readyOf(answer.status) === 'True' &&
  !statusChanged &&
  !childrenChanged &&
  writes.length === 0;

export const readyOf = ({ conditions }: TenantStatus): string | undefined =>
  conditions?.find(({ type }) => type === 'Ready')?.status;

/** Known trouble is answered; only a lock held elsewhere, or a bug, may be thrown. */
function expectThrown(error: unknown): void {
  const fine =
    error instanceof Trouble ? error.reason === 'Busy' : error instanceof Error && error.message === 'bug';
  if (!fine) throw error;
}

/** What an answer's status is compared with before it is written: the live one, whatever was posted. */
function recordedStatus({ state }: ModelWorld, { parent }: TenantHookRequest): TenantStatus | undefined {
  const live = state.kubernetes.tenants[`${parent.metadata.namespace}/${parent.metadata.name}`];
  return live?.metadata.uid === parent.metadata.uid ? live.status : parent.status;
}

function checkAnswer(
  { parent, children, finalizing }: TenantHookRequest,
  recorded: TenantStatus | undefined,
  answer: Response,
): void {
  const { status, resyncAfterSeconds, finalized } = answer;
  assert.deepEqual(completeStatus.parse(recordStatus('PostgreSQLTenant', status)), status);
  assert.ok(finalizing || finalized === undefined, 'finalized in an answer to sync');
  if (resyncAfterSeconds !== undefined) assert.ok(resyncAfterSeconds > 0);
  const phaseChanges = status.phase !== recorded?.phase;
  assert.ok(!phaseChanges || resyncAfterSeconds === undefined, 'a timer beside a phase change');
  const observed = Object.keys(children[externalSecretKey] ?? {}).length;
  const changes =
    !isDeepStrictEqual(statusIn(parent, status), recorded) || answer.children.length !== observed;
  assert.ok(
    changes || resyncAfterSeconds !== undefined || finalized === true,
    'nothing brings the next call',
  );
}

/** Metacontroller adds the generation that the hook saw. */
const statusIn = ({ metadata }: PostgreSQLTenant, status: TenantStatus): TenantStatus =>
  overTheWire({ ...status, observedGeneration: metadata.generation }) as TenantStatus;

function applyStatus(world: ModelWorld, { status, finalized }: Response): boolean {
  const { tenants } = world.state.kubernetes;
  const live = tenants[tenantKey];
  assert.ok(live !== undefined);
  if (finalized === true) {
    world.state.kubernetes.tenants = {};
    return true;
  }
  const wanted = statusIn(live, status);
  if (isDeepStrictEqual(live.status, wanted)) return false;
  tenants[tenantKey] = { ...live, status: wanted };
  return true;
}

function applyChildren(world: ModelWorld, desired: readonly DesiredExternalSecret[]): boolean {
  const { externalSecrets, tenants } = world.state.kubernetes;
  const [wanted] = overTheWire(desired) as typeof desired;
  const existing = externalSecrets[childKey];
  const parent = tenants[tenantKey];
  assert.ok(parent !== undefined && desired.length <= 1);
  if (existing?.metadata.deletionTimestamp !== undefined) return takeChildAway(world);
  if (existing !== undefined && !isOwnedBy(existing, parent)) return false;
  if (wanted === undefined) return existing !== undefined && markChildDeleted(world, existing);
  const owner = {
    apiVersion: parent.apiVersion,
    kind: parent.kind,
    uid: parent.metadata.uid,
    controller: true,
  };
  if (existing === undefined) {
    const metadata = { ...wanted.metadata, uid: 'uid-child', generation: 1, ownerReferences: [owner] };
    externalSecrets[childKey] = { ...wanted, metadata, spec: { ...wanted.spec } };
    return true;
  }
  if (isDeepStrictEqual(existing.spec, wanted.spec)) return false;
  const metadata = { ...existing.metadata, generation: existing.metadata.generation + 1 };
  externalSecrets[childKey] = { ...existing, metadata, spec: { ...wanted.spec } };
  return true;
}

const isOwnedBy = ({ metadata }: ObservedExternalSecret, parent: PostgreSQLTenant): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === parent.metadata.uid) === true;

/** A deleted object is still there for a moment. */
function markChildDeleted({ state }: ModelWorld, child: ObservedExternalSecret): boolean {
  const deletionTimestamp = new Date(state.now).toISOString();
  state.kubernetes.externalSecrets[childKey] = {
    ...child,
    metadata: { ...child.metadata, deletionTimestamp },
  };
  return true;
}

/** The garbage collector takes the Secret with it. */
function takeChildAway({ state }: ModelWorld): boolean {
  state.kubernetes.externalSecrets = {};
  state.kubernetes.secrets = {};
  return true;
}

/** External Secrets: writes the pinned version into the Secret, and says for which generation. */
function projectSecrets({ state }: ModelWorld): void {
  const { externalSecrets, secrets } = state.kubernetes;
  for (const [key, object] of Object.entries(externalSecrets)) {
    const synced = `${object.metadata.generation}-hash`;
    if (object.status?.syncedResourceVersion === synced) continue;
    const [source] = object.spec['dataFrom'] as [{ extract: { key: string; version: string } }];
    const version = state.openbao.records[source.extract.key]?.[Number(source.extract.version) - 1];
    if (version == null) continue;
    secrets[key] = version.password;
    const ready = { type: 'Ready', status: 'True', reason: 'SecretSynced', message: 'secret synced' };
    externalSecrets[key] = { ...object, status: { syncedResourceVersion: synced, conditions: [ready] } };
  }
}
