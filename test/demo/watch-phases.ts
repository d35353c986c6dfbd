import type { KubeClient, KubeObject, Resource } from '../world/kubernetes/client.ts';
import type { Narrator } from './narrator.ts';

/** Below it, a climb that goes on by itself would be told as waiting. */
const standsStillAfterMs = 1_000;

/**
 * Tells each phase at the moment when it is recorded; a reason for not being Ready at once when it is final, else when
 * nothing has changed for a second. Ends when `signal` aborts.
 */
export async function tellPhases(
  kube: KubeClient,
  resource: Resource,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const told = new Map<string, string>();
  const waiting = new Map<string, NodeJS.Timeout>();
  const tell = (name: string, text: string | undefined): void => {
    if (text === undefined || told.get(name) === text) return;
    told.set(name, text);
    narrator.line(`${name}  ${text}`);
  };
  try {
    const { resourceVersion } = await kube.list(resource);
    for await (const { type, object } of kube.watch(resource, { resourceVersion, signal })) {
      const name = nameOf(object);
      clearTimeout(waiting.get(name));
      const patient = type === 'DELETED' ? undefined : waitingOf(object);
      // What is told already must not be told again without its reason.
      if (patient !== undefined && told.get(name) === patient) continue;
      tell(name, type === 'DELETED' ? 'gone' : phaseOf(object));
      waiting.set(
        name,
        setTimeout(() => {
          tell(name, patient);
        }, standsStillAfterMs),
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const timer of waiting.values()) clearTimeout(timer);
  }
}

export const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

function phaseOf(object: KubeObject): string | undefined {
  const { status } = object;
  const ready = conditionsOf(status).find(({ type }) => type === 'Ready');
  const stalled = conditionsOf(status).find(({ type }) => type === 'Stalled');
  return withReason(object, stalled ?? (ready?.status === 'Unknown' ? ready : undefined));
}

/** As `phaseOf`, with the reason for waiting; undefined: it does not wait. */
function waitingOf(object: KubeObject): string | undefined {
  if (conditionsOf(object.status).some(({ type }) => type === 'Stalled')) return undefined;
  const ready = conditionsOf(object.status).find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? withReason(object, ready) : undefined;
}

function withReason({ status, metadata }: KubeObject, why: Condition | undefined): string | undefined {
  const phase = status?.['phase'];
  if (typeof phase !== 'string') return undefined;
  const deleting = metadata.deletionTimestamp === undefined ? '' : ' (deleting)';
  return `${phase}${deleting}${why === undefined ? '' : `: ${why.reason}: ${why.message}`}`;
}

export const conditionsOf = (status: KubeObject['status']): Condition[] =>
  (status?.['conditions'] ?? []) as Condition[];
