import type { KubeObject } from '../world/kubernetes/client.ts';
import { resourceOf } from '../world/manifests-in.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { World } from '../world/world.ts';
import type { Narrator } from './narrator.ts';
import { conditionsOf, nameOf } from './watch-phases.ts';

/** What became of an applied object; `notReady` says why it is not Ready. */
export interface Outcome {
  readonly object: KubeObject;
  readonly notReady?: string;
}

/** Ready, or standing still for a reason that waiting does not change, or neither within 20 s. */
export async function settled(world: World, applied: KubeObject, narrator: Narrator): Promise<Outcome> {
  const { name } = applied.metadata;
  // An object without a namespace was applied to `default`; Instances have none at all.
  const namespace =
    applied.kind === 'PostgreSQLInstance' ? undefined : (applied.metadata.namespace ?? 'default');
  const look = () => world.kube.get(resourceOf(applied), name, namespace);
  const isSettled = async () => {
    const object = await look();
    const holds = conditionsOf(object?.status).filter(({ status }) => status === 'True');
    return holds.some(({ type }) => type === 'Ready' || type === 'Stalled') && object;
  };
  const wait = { timeoutMs: 20_000, everyMs: 10 };
  const object = await waitFor(nameOf(applied), isSettled, wait).catch(async () => {
    narrator.line(`${nameOf(applied)} is not Ready yet, and waits:`);
    return (await look()) ?? applied;
  });
  tellConditions(object.status, narrator);
  return outcomeOf(object);
}

export function tellConditions(status: KubeObject['status'], narrator: Narrator): void {
  for (const { type, status: said, reason, message } of conditionsOf(status)) {
    narrator.detail(`${type.padEnd(22)} ${said.padEnd(8)} ${reason}${message === '' ? '' : `: ${message}`}`);
  }
}

function outcomeOf(object: KubeObject): Outcome {
  const conditions = conditionsOf(object.status);
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return { object };
  const why = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True') ?? ready;
  return { object, notReady: why === undefined ? 'it has no status' : `${why.reason}: ${why.message}` };
}
