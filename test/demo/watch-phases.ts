import type { KubeClient, KubeObject, Resource } from '../world/kubernetes/client.ts';
import type { Narrator } from './narrator.ts';

/** Tells each phase at the moment when it is recorded, and where it stands still, why. Ends when `signal` aborts. */
export async function tellPhases(
  kube: KubeClient,
  resource: Resource,
  narrator: Narrator,
  signal: AbortSignal,
): Promise<void> {
  const told = new Map<string, string>();
  const { resourceVersion } = await kube.list(resource);
  try {
    for await (const { type, object } of kube.watch(resource, { resourceVersion, signal })) {
      const name = nameOf(object);
      const text = type === 'DELETED' ? 'gone' : phaseOf(object);
      if (text === undefined || told.get(name) === text) continue;
      told.set(name, text);
      narrator.line(`${name}  ${text}`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const nameOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

function phaseOf({ status, metadata }: KubeObject): string | undefined {
  const phase = status?.['phase'];
  if (typeof phase !== 'string') return undefined;
  const ready = conditionsOf(status).find(({ type }) => type === 'Ready');
  const deleting = metadata.deletionTimestamp === undefined ? '' : ' (deleting)';
  const stalled = conditionsOf(status).find(({ type }) => type === 'Stalled');
  const why = stalled ?? (ready?.status === 'Unknown' ? ready : undefined);
  return `${phase}${deleting}${why === undefined ? '' : `: ${why.reason}: ${why.message}`}`;
}

export const conditionsOf = (status: KubeObject['status']): Condition[] =>
  (status?.['conditions'] ?? []) as Condition[];
