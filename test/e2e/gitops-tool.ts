import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeObject } from '../world/kubernetes/client.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import type { Kubectl } from './kubectl.ts';

/** How a tool applies, and what it writes on every object that it manages. */
export interface Manners {
  readonly fieldManager: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Both tools take fields by force; `kubectl` stands for their clients, which send the same patches. */
export class GitOpsTool {
  readonly #kubectl: Kubectl;
  readonly #manners: Manners;
  readonly #stopping = new AbortController();
  /** What stands in the repository now. */
  #manifests: readonly KubeObject[] = [];
  #looping: Promise<void> | undefined;
  #applied = 0;

  constructor(kubectl: Kubectl, manners: Manners) {
    this.#kubectl = kubectl;
    this.#manners = manners;
  }

  /** The commit: applied from now on, for the first time before this resolves. */
  async commit(...objects: KubeObject[]): Promise<void> {
    const { labels, annotations } = this.#manners;
    this.#manifests = objects.map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...labels }, annotations: { ...annotations } },
    }));
    this.#looping ??= this.#loop();
    await this.applies(1);
  }

  /** Waits until everything was applied so many more times, from the start of a round on. */
  async applies(times: number): Promise<void> {
    const enough = this.#applied + times + 1;
    await waitFor(
      `${times} more rounds of ${this.#manners.fieldManager}`,
      async () => {
        await Promise.race([this.#looping, sleep(50)]);
        return this.#applied >= enough;
      },
      { timeoutMs: 60_000 },
    );
  }

  /** What the tool would show as out of sync: '' when nothing is. */
  diff(): Promise<string> {
    return this.#kubectl.ok(`diff ${this.#flags()} -f -`, { input: this.#input() });
  }

  /** What is no longer in the repository is deleted by the tool, after it stopped to apply it. */
  async prune(object: KubeObject, cascade: 'foreground' | 'background'): Promise<void> {
    this.#manifests = this.#manifests.filter(({ metadata }) => metadata.name !== object.metadata.name);
    await this.applies(1);
    const { name, namespace = '' } = object.metadata;
    await this.#kubectl.ok(`delete pgt ${name} -n ${namespace} --cascade=${cascade} --wait=false`);
  }

  /** @throws whatever an apply threw */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looping;
  }

  #flags(): string {
    return `--server-side --force-conflicts --field-manager=${this.#manners.fieldManager}`;
  }

  #input(): string {
    return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: this.#manifests });
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      if (this.#manifests.length > 0)
        await this.#kubectl.ok(`apply ${this.#flags()} -f -`, { input: this.#input() });
      this.#applied += 1;
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}
