import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { type Image, userHere } from '../../image/image.ts';
import type { KubeClient } from '../../world/kubernetes/client.ts';
import { environmentOf, expand } from './environment.ts';
import { type MountedPaths, onThisMachine } from './mounted-paths.ts';
import type { Pod } from './pod.ts';
import { podTemplate } from './pod-template.ts';
import { PodVolumes } from './pod-volumes.ts';
import { withinTime } from './within-time.ts';

/** What to run, and what must differ from the cluster for it to run here. */
export interface PodOptions {
  /** A Pod, or the `spec.template` of a workload, as the API server gave it. */
  readonly template: object;
  /** Of the workload; a Pod says it itself. */
  readonly namespace?: string;
  /** By default the Pod's own, or one made up. */
  readonly name?: string;
  readonly image: Image;
  /** What a kubelet may do: read Secrets and ConfigMaps, ask for tokens. */
  readonly kube: KubeClient;
  /** Variables over those of the container; undefined takes one away. */
  readonly overrides?: Readonly<Record<string, string | undefined>>;
  /** How long Secrets and ConfigMaps may be missing, by default 20 s. */
  readonly timeoutMs?: number;
}

/** A container that is ready to be started as a process. */
export interface Launch {
  readonly pod: Pod;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Absent where we are not root: it runs as ourselves. */
  readonly uid?: number;
  readonly gid?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly volumes: PodVolumes;
  /** Names of the overrides that changed something, in order. */
  readonly overridden: readonly string[];
}

/** Mounts the volumes and resolves the environment. @throws Error for what is missing, or what the runner cannot do */
export async function launchOf(options: PodOptions): Promise<Launch> {
  const { image, overrides = {}, timeoutMs = 20_000 } = options;
  const pod = podOf(options);
  const wanted = wantedUser(pod, image);
  const volumes = await PodVolumes.mount(pod, { ...wanted, timeoutMs });
  try {
    const paths = volumes.paths();
    const declared = await withinTime('its environment', timeoutMs, () => environmentOf(pod, image.env));
    const env = withOverrides(rewritten(declared, paths), overrides);
    const [file = '', ...args] = commandOf(pod, image, withOverrides(declared, overrides), paths);
    return {
      ...{ pod, file, args, volumes, ...userHere(wanted) },
      cwd: join(image.root, pod.template.spec.containers[0].workingDir ?? image.workingDir),
      env,
      overridden: Object.keys(overrides)
        .filter((name) => overrides[name] !== declared[name])
        .sort(),
    };
  } catch (error) {
    await volumes.close();
    throw error;
  }
}

function podOf({ template: object, namespace, name, kube }: PodOptions): Pod {
  const template = podTemplate.parse(object);
  const { metadata } = template;
  const place = metadata.namespace ?? namespace;
  if (place === undefined) throw new Error('a Pod template has no namespace: say which');
  return {
    ...{ template, kube, namespace: place, uid: metadata.uid ?? randomUUID() },
    name: name ?? metadata.name ?? `${template.spec.containers[0].name}-${randomBytes(3).toString('hex')}`,
  };
}

function wantedUser({ template }: Pod, image: Image): { uid: number; gid: number } {
  const { containers, securityContext } = template.spec;
  const own = containers[0].securityContext;
  return {
    uid: own?.runAsUser ?? securityContext.runAsUser ?? image.user.uid,
    gid: own?.runAsGroup ?? securityContext.runAsGroup ?? image.user.gid,
  };
}

/** `command` replaces the entrypoint and what follows it, `args` only the latter, as in every cluster. */
function commandOf(
  { template }: Pod,
  image: Image,
  env: Readonly<Record<string, string>>,
  paths: MountedPaths,
): readonly string[] {
  const { command, args } = template.spec.containers[0];
  const isSaid = command.length > 0 || args.length > 0;
  const words = [...(command.length > 0 ? command : image.entrypoint), ...(isSaid ? args : image.cmd)];
  return words.map((word) => {
    const here = onThisMachine(paths, expand(word, env));
    const inImage = join(image.root, here);
    return here === word && word.startsWith('/') && existsSync(inImage) ? inImage : here;
  });
}

const withOverrides = (
  env: Readonly<Record<string, string>>,
  overrides: NonNullable<PodOptions['overrides']>,
): Record<string, string> => {
  const left = Object.entries({ ...env, ...overrides });
  return Object.fromEntries(left.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
};

const rewritten = (env: Readonly<Record<string, string>>, paths: MountedPaths): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, onThisMachine(paths, value)]));
