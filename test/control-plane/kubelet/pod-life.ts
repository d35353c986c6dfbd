import { setTimeout as sleep } from 'node:timers/promises';

import type { Image } from '../../image/image.ts';
import type { KubeClient, KubeObject, Resource } from '../../world/kubernetes/client.ts';
import { type RunningPod, runPod } from '../pod-runner/run-pod.ts';
import { runToCompletion } from '../pod-runner/run-to-completion.ts';
import { endedStatus, firstContainer, runningStatus, waitingStatus } from './pod-status.ts';

export const pods: Resource = { group: '', version: 'v1', plural: 'pods' };

/** What a node of this machine has. */
export interface Node {
  readonly kube: KubeClient;
  /** The image of this name; undefined: there is none in any registry. */
  readonly image: (name: string) => Image | undefined;
  /** Variables of every container that say where something is on this machine. */
  readonly overrides: Readonly<Record<string, string>>;
}

const retryMs = 500;
/** Until it is told that a Secret or a ConfigMap is missing; then it is tried again. */
const volumeTimeoutMs = 3_000;

/** One Pod from its binding to its end. */
export class PodLife {
  readonly #node: Node;
  readonly #pod: KubeObject;
  readonly #lived: Promise<void>;
  #running: RunningPod | undefined;
  #output = '';
  #ending: Promise<void> | undefined;

  constructor(node: Node, pod: KubeObject) {
    this.#node = node;
    this.#pod = pod;
    this.#lived = this.#live();
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#pod.metadata.labels ?? {};
  }

  get namespace(): string {
    return this.#pod.metadata.namespace ?? '';
  }

  /** Undefined unless it is Ready and not on its way out. */
  get serving(): RunningPod | undefined {
    return this.#ending === undefined ? this.#running : undefined;
  }

  /** What its container wrote, and what went wrong. */
  log(): string {
    return this.#output + (this.#running?.hook.log() ?? '');
  }

  /** As after a deletion: orderly within its grace period; then the object goes. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    await this.#lived;
    await this.#running?.close();
    const { name, uid } = this.#pod.metadata;
    await this.#node.kube
      .delete(pods, name, this.namespace, { graceSeconds: 0, ...(uid === undefined ? {} : { uid }) })
      // Somebody else was faster.
      .catch(() => false);
  }

  async #live(): Promise<void> {
    await this.#attempt(() => this.#bind());
    while (this.#ending === undefined) {
      if (await this.#attempt(() => this.#start())) return;
      await sleep(retryMs);
    }
  }

  async #attempt(what: () => Promise<void>): Promise<boolean> {
    try {
      await what();
      return true;
    } catch (error) {
      this.#output += `${String(error)}\n`;
      const message = String(error).slice(0, 1_000);
      await this.#report(waitingStatus(this.#pod, 'CreateContainerError', message)).catch(() => undefined);
      return false;
    }
  }

  /** Without a node its deletion would not wait for anybody. */
  async #bind(): Promise<void> {
    const { name } = this.#pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: 'localhost' };
    const metadata = { name, namespace: this.namespace };
    const resource = { ...pods, plural: `pods/${name}/binding` };
    await this.#node.kube.create(resource, { apiVersion: 'v1', kind: 'Binding', metadata, target });
  }

  async #start(): Promise<void> {
    const wanted = firstContainer(this.#pod).image;
    const image = this.#node.image(wanted);
    if (image === undefined) throw new Error(`the image ${wanted} is in no registry`);
    const options = { template: this.#pod, image, kube: this.#node.kube, overrides: this.#node.overrides };
    if (this.#pod.spec?.['restartPolicy'] === 'Never') {
      const { code, output } = await runToCompletion(options);
      this.#output += output;
      return this.#report(endedStatus(this.#pod, code));
    }
    this.#running = await runPod({ ...options, timeoutMs: volumeTimeoutMs });
    await this.#report(runningStatus(this.#pod));
  }

  async #report(status: object): Promise<void> {
    await this.#node.kube.patch(pods, this.#pod.metadata.name, this.namespace, { status }, 'status');
  }
}
