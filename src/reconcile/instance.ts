import type { HookResponse, InstanceHookRequest } from '../api/hook.ts';
import type { InstanceStatus, PostgreSQLInstance } from '../api/instance.ts';
import type { Finding } from '../domain/conditions.ts';
import { decideInstance, instanceStatus, type InstanceDecision } from '../domain/instance-decide.ts';
import type { Unknown } from '../domain/fact.ts';
import type { InstanceFacts } from '../domain/facts.ts';
import type { InstanceStep } from '../domain/steps.ts';
import type { Note } from '../domain/verdict.ts';
import { attempt } from './attempt.ts';
import type { Context } from './context.ts';
import { observeInstance } from './observe-instance.ts';
import { resyncAfter } from './pace.ts';
import type { Server } from './ports.ts';
import { release } from './release-instance.ts';
import { instanceSubject } from './subject.ts';
import { takeStep, type Taken } from './take-step.ts';
import { timestamp } from './timestamp.ts';
import { instanceWish } from './wish.ts';

type Response = HookResponse<InstanceStatus>;

/**
 * observe -> decide -> act (at most one step) -> observe -> respond. The Instance is always the live one: what was
 * posted only names it, so nobody can point us at a server of their choice, and a cache that is behind misleads nobody.
 */
export async function syncInstance(context: Context, { parent }: InstanceHookRequest): Promise<Response> {
  const found = await attempt(() => liveOf(context, parent));
  if (!found.known) return unseen(context, parent, found);
  const live = found.value;
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) {
    return asRecorded(context, live ?? parent);
  }
  const { facts, decision, taken } = await lookAndStep(context, live);
  return respond(context, live, facts, decision, taken);
}

/** Refused while the registry has active tenants of this Instance; until then it goes on serving them. */
export async function finalizeInstance(context: Context, { parent }: InstanceHookRequest): Promise<Response> {
  const found = await attempt(() => liveOf(context, parent));
  if (!found.known) return { ...unseen(context, parent, found), finalized: false };
  const live = found.value;
  if (live?.metadata.deletionTimestamp === undefined)
    return { ...asRecorded(context, live ?? parent), finalized: false };
  const { facts, server } = await observeInstance(context, live);
  const decision = decideInstance(facts, live.status?.phase);
  const held = await release(context, live, facts, server);
  if (held === null) {
    context.servers.forget(live.metadata.uid);
    return { ...respond(context, live, facts, decision, { kind: 'none' }), finalized: true };
  }
  const waiting = {
    ...decision,
    findings: decision.findings.map(deleting(held)),
    first: { kind: 'wait', ...held } as const,
  };
  return { ...respond(context, live, facts, waiting, { kind: 'none' }), finalized: false };
}

const deleting =
  (note: Note) =>
  (finding: InstanceDecision['findings'][number]): InstanceDecision['findings'][number] => {
    const ready: Finding<'Ready'> = { type: 'Ready', status: 'False', ...note };
    return finding.type === 'Ready' ? ready : finding;
  };

async function liveOf(
  { kubernetes }: Context,
  { metadata }: PostgreSQLInstance,
): Promise<PostgreSQLInstance | undefined> {
  const live = await kubernetes.freshInstance(metadata.name);
  return live?.metadata.uid === metadata.uid ? live : undefined;
}

/** The live object cannot be read: no server is dialled, and what is recorded stays. */
function unseen(context: Context, parent: PostgreSQLInstance, why: Unknown): Response {
  const { installation } = context.settings;
  const facts: InstanceFacts = {
    wish: instanceWish(parent),
    installation,
    server: why,
    registry: why,
    claimants: why,
  };
  return respond(context, parent, facts, decideInstance(facts, parent.status?.phase), { kind: 'none' });
}

interface Stepped {
  readonly facts: InstanceFacts;
  readonly decision: InstanceDecision;
  readonly taken: Taken;
}

async function lookAndStep(context: Context, live: PostgreSQLInstance): Promise<Stepped> {
  const { facts, server } = await observeInstance(context, live);
  const recorded = live.status?.phase;
  const decision = decideInstance(facts, recorded);
  if (decision.step === null || server === undefined) return { facts, decision, taken: { kind: 'none' } };
  const { step } = decision;
  const about = { ...instanceSubject(live), phase: decision.phase, step: step.kind };
  const taken = await takeStep(context, about, () => act(server, step));
  const after = await observeInstance(context, live);
  const trouble = taken.kind === 'failed' ? taken.trouble : undefined;
  return { facts: after.facts, decision: decideInstance(after.facts, recorded, trouble), taken };
}

function act({ registry }: Server, step: InstanceStep): Promise<void> {
  switch (step.kind) {
    case 'MigrateRegistry':
      return registry.migrate();
    case 'RegisterInstance':
      return registry.registerInstance();
    case 'AcceptServer':
      return registry.acceptServer(step.from);
  }
}

function respond(
  { settings, clock }: Context,
  parent: PostgreSQLInstance,
  facts: InstanceFacts,
  decision: InstanceDecision,
  taken: Taken,
): Response {
  const now = clock.now();
  const recorded = parent.status ?? {};
  const status = instanceStatus(facts, decision, recorded, timestamp(now));
  const resync = resyncAfter(settings, {
    uid: parent.metadata.uid,
    phaseChanged: status.phase !== recorded.phase,
    taken,
    first: decision.first,
    ready: status.conditions?.find(({ type }) => type === 'Ready'),
    now,
  });
  return { status, children: [], ...(resync === undefined ? {} : { resyncAfterSeconds: resync }) };
}

const asRecorded = ({ settings }: Context, { status }: PostgreSQLInstance): Response => ({
  status: status ?? {},
  children: [],
  resyncAfterSeconds: settings.resyncSeconds,
});
