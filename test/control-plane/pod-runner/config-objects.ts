import type { Resource } from '../../world/kubernetes/client.ts';
import { secrets } from '../../world/kubernetes/resources.ts';
import type { Pod } from './pod.ts';

const configMaps: Resource = { group: '', version: 'v1', plural: 'configmaps' };

/** The container is not created as long as this is so; a kubelet tries again. */
export class NotThereYet extends Error {}

export type ConfigKind = 'Secret' | 'ConfigMap';
interface Reference {
  readonly name: string;
  readonly optional?: boolean | undefined;
}

/** The keys of a Secret or ConfigMap of the Pod's namespace; undefined: it may be absent, and is. @throws NotThereYet */
async function keysOf(
  { kube, namespace }: Pod,
  kind: ConfigKind,
  { name, optional }: Reference,
): Promise<ReadonlyMap<string, Buffer> | undefined> {
  const object = await kube.get(kind === 'Secret' ? secrets : configMaps, name, namespace);
  if (object === undefined) {
    if (optional === true) return undefined;
    throw new NotThereYet(`${kind} ${namespace}/${name} not found`);
  }
  const binary = (kind === 'Secret' ? object.data : object['binaryData']) ?? {};
  const plain = kind === 'Secret' ? {} : (object.data ?? {});
  return new Map([
    ...Object.entries(plain).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...Object.entries(binary).map(([key, text]) => [key, Buffer.from(String(text), 'base64')] as const),
  ]);
}

/** One value, for an environment variable; undefined: it may be absent, and is. @throws NotThereYet */
export async function keyOf(
  pod: Pod,
  kind: ConfigKind,
  ref: Reference & { readonly key: string },
): Promise<string | undefined> {
  const value = (await keysOf(pod, kind, ref))?.get(ref.key);
  if (value === undefined && ref.optional !== true)
    throw new NotThereYet(`${kind} ${pod.namespace}/${ref.name} has no key ${ref.key}`);
  return value?.toString('utf8');
}

interface Item {
  readonly key: string;
  readonly path: string;
  readonly mode?: number | undefined;
}

/** What a volume shows of an object: all its keys, or those that `items` names. @throws NotThereYet */
export async function itemsOf(
  pod: Pod,
  kind: ConfigKind,
  ref: Reference & { readonly items?: readonly Item[] | undefined },
): Promise<{ path: string; content: Buffer; mode?: number | undefined }[]> {
  const keys = await keysOf(pod, kind, ref);
  if (keys === undefined) return [];
  if (ref.items === undefined) return [...keys].map(([path, content]) => ({ path, content }));
  return ref.items.flatMap(({ key, path, mode }) => {
    const content = keys.get(key);
    if (content !== undefined) return [{ path, content, mode }];
    if (ref.optional === true) return [];
    throw new NotThereYet(`${kind} ${pod.namespace}/${ref.name} has no key ${key}`);
  });
}
