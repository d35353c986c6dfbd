import { chown, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { MountedVolume } from './mounted-volume.ts';
import type { MountedPaths } from './mounted-paths.ts';
import type { Pod } from './pod.ts';
import { PodTokens } from './pod-tokens.ts';
import { filesOf } from './volume-files.ts';
import { withinTime } from './within-time.ts';
import { temporaryFolder } from '../../world/servers/temporary-folder.ts';

/** A kubelet takes up to two minutes to show a change; nobody wants to wait so long here. */
const lookEveryMs = 1_000;

/** The volumes of a Pod, below one folder that only its user can enter, and kept as the API has them. */
export class PodVolumes {
  readonly folder: string;
  readonly #pod: Pod;
  readonly #tokens: PodTokens;
  readonly #mounted = new Map<string, MountedVolume>();
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();
  #turn: Promise<void> = Promise.resolve();

  private constructor(pod: Pod, folder: string) {
    this.#pod = pod;
    this.folder = folder;
    this.#tokens = new PodTokens(pod);
  }

  /**
   * Resolves when every volume is there; what they are made of may come later than the Pod.
   * @throws Error that names what is missing, after `timeoutMs`
   */
  static async mount(
    pod: Pod,
    { uid, gid, timeoutMs }: { uid: number; gid: number; timeoutMs: number },
  ): Promise<PodVolumes> {
    const folder = await temporaryFolder('pod');
    const volumes = new PodVolumes(pod, folder);
    const isRoot = process.getuid?.() === 0;
    try {
      const fsGroup = pod.template.spec.securityContext.fsGroup === undefined ? undefined : gid;
      for (const { name } of pod.template.spec.volumes)
        volumes.#mounted.set(name, await MountedVolume.create(join(folder, name), { isRoot, fsGroup }));
      await withinTime(`the volumes of Pod ${pod.name}`, timeoutMs, () => volumes.refresh());
      if (isRoot) await chown(folder, uid, gid);
      volumes.#following = volumes.#follow();
      return volumes;
    } catch (error) {
      await volumes.close();
      throw error;
    }
  }

  /** Shows what the API has now, without waiting for the next look. @throws NotThereYet, ApiError */
  refresh(): Promise<void> {
    const turn = this.#turn.then(() => this.#refresh());
    // One after the other; a failure is told to its own caller alone.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Tokens for others than the Kubernetes API that were in a volume so far. */
  get issued(): readonly string[] {
    return this.#tokens.forOthers;
  }

  /** Replaces every token now. */
  renew(): Promise<void> {
    this.#tokens.expire();
    return this.refresh();
  }

  async #refresh(): Promise<void> {
    for (const volume of this.#pod.template.spec.volumes) {
      const files = await filesOf(this.#pod, volume, this.#tokens);
      const mounted = this.#mounted.get(volume.name);
      await (files === undefined ? mounted?.open() : mounted?.show(files));
    }
  }

  /** Where this machine has what the container sees below its mount paths. */
  paths(): MountedPaths {
    return this.#pod.template.spec.containers[0].volumeMounts.map(({ name, mountPath }) => {
      const mounted = this.#mounted.get(name);
      if (mounted === undefined) throw new Error(`volumeMount ${mountPath}: there is no volume ${name}`);
      return { mountPath, folder: mounted.folder };
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.#turn;
    await rm(this.folder, { recursive: true, force: true });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const nextLook = (): Promise<boolean> =>
      sleep(lookEveryMs, true, { signal, ref: false }).catch(() => false);
    // What cannot be read now stays as it is, as on a node that lost its API server.
    while (await nextLook()) await this.refresh().catch(() => undefined);
  }
}
