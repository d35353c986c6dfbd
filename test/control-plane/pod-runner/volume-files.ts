import { itemsOf } from './config-objects.ts';
import { fieldOf, type Pod } from './pod.ts';
import type { ProjectedSource, Volume } from './pod-template.ts';
import type { PodTokens } from './pod-tokens.ts';

export interface VolumeFile {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
  /** Its owner, where that is not root. */
  readonly uid?: number | undefined;
}

interface Loose {
  readonly path: string;
  readonly content: Buffer;
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
}

/** The files that a volume has now; undefined: it is an empty folder of the Pod's own. @throws NotThereYet */
export async function filesOf(
  pod: Pod,
  volume: Volume,
  tokens: PodTokens,
): Promise<readonly VolumeFile[] | undefined> {
  const { secret, configMap, projected, downwardAPI } = volume;
  if (secret !== undefined)
    return withMode(await itemsOf(pod, 'Secret', { ...secret, name: secret.secretName }), secret.defaultMode);
  if (configMap !== undefined)
    return withMode(await itemsOf(pod, 'ConfigMap', configMap), configMap.defaultMode);
  if (downwardAPI !== undefined) return withMode(fieldFiles(pod, downwardAPI.items), downwardAPI.defaultMode);
  if (projected !== undefined) {
    const files: Loose[] = [];
    for (const source of projected.sources) files.push(...(await sourceFiles(pod, source, tokens)));
    return withMode(files, projected.defaultMode);
  }
  if (volume.emptyDir !== undefined) return undefined;
  throw new Error(`volume ${volume.name} has no source`);
}

const withMode = (files: readonly Loose[], defaultMode: number): VolumeFile[] =>
  files.map((file) => ({ ...file, mode: file.mode ?? defaultMode }));

async function sourceFiles(pod: Pod, source: ProjectedSource, tokens: PodTokens): Promise<readonly Loose[]> {
  const { serviceAccountToken, secret, configMap, downwardAPI } = source;
  if (serviceAccountToken !== undefined) return [await tokenFile(pod, serviceAccountToken, tokens)];
  if (secret !== undefined) return itemsOf(pod, 'Secret', secret);
  if (configMap !== undefined) return itemsOf(pod, 'ConfigMap', configMap);
  return fieldFiles(pod, downwardAPI?.items ?? []);
}

/** The kubelet makes the file the user's own, where it knows the user, and closes it to others whatever the mode says. */
async function tokenFile(
  pod: Pod,
  wanted: NonNullable<ProjectedSource['serviceAccountToken']>,
  tokens: PodTokens,
): Promise<Loose> {
  const { containers, securityContext } = pod.template.spec;
  const uid = containers[0].securityContext?.runAsUser ?? securityContext.runAsUser;
  const isClosed = uid !== undefined || securityContext.fsGroup !== undefined;
  const content = Buffer.from(await tokens.current(wanted));
  return { path: wanted.path, content, mode: isClosed ? 0o600 : undefined, uid };
}

const fieldFiles = (
  pod: Pod,
  items: readonly {
    readonly path: string;
    readonly mode?: number | undefined;
    readonly fieldRef: { readonly fieldPath: string };
  }[],
): Loose[] =>
  items.map(({ path, mode, fieldRef }) => ({
    path,
    mode,
    content: Buffer.from(fieldOf(pod, fieldRef.fieldPath)),
  }));
