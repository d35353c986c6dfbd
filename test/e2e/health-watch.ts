import assert from 'node:assert/strict';

import { conditionOf } from '../scenarios/conditions.ts';
import { splitName, type TenantName } from '../scenarios/tenants.ts';
import type { KubeClient, KubeObject } from '../world/kubernetes/client.ts';
import { tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { type Health, healthOf } from './kstatus.ts';

/** Every version of one Tenant, and how healthy a tool that knows kstatus finds it. */
export class HealthWatch {
  readonly versions: KubeObject[] = [];
  readonly #name: TenantName;
  readonly #ending = new AbortController();
  #watching: Promise<void> | undefined;

  private constructor(name: TenantName) {
    this.#name = name;
  }

  /** Before the Tenant is there, so that its first version is seen too. */
  static async start(kube: KubeClient, name: TenantName): Promise<HealthWatch> {
    const watch = new HealthWatch(name);
    const { resourceVersion } = await kube.list(tenants);
    watch.#watching = watch.#watch(kube, resourceVersion);
    return watch;
  }

  /** Waits for the first version that is Current at this generation; what it is about has to be usable from then on. */
  untilCurrent(generation: number): Promise<KubeObject> {
    return waitFor(
      `${this.#name} to be Current at generation ${generation}`,
      () => this.#at(generation).find((version) => healthOf(version) === 'Current'),
      { timeoutMs: 60_000, everyMs: 2 },
    ).catch((error: unknown) => {
      const seen = this.versions.map((version) => [version.metadata.generation, healthOf(version)]);
      throw new Error(`${String(error)}; it was ${JSON.stringify(seen)}`, { cause: error });
    });
  }

  /** In order, repetitions left out. */
  at(generation: number): Health[] {
    const all = this.#at(generation).map(healthOf);
    return all.filter((health, index) => health !== all[index - 1]);
  }

  /** Whoever said Current had come to its conclusion for that very generation. */
  assertNeverTooEarly(): void {
    for (const version of this.versions) {
      if (healthOf(version) !== 'Current') continue;
      const { generation, resourceVersion } = version.metadata;
      const ready = conditionOf(version, 'Ready');
      assert.deepEqual(
        [ready?.status, ready?.observedGeneration],
        ['True', generation],
        `version ${String(resourceVersion)} of ${this.#name} is taken for Current: ${JSON.stringify(version.status)}`,
      );
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#watching;
  }

  #at(generation: number): KubeObject[] {
    return this.versions.filter(({ metadata }) => metadata.generation === generation);
  }

  async #watch(kube: KubeClient, resourceVersion: string): Promise<void> {
    const { signal } = this.#ending;
    const { name, namespace } = splitName(this.#name);
    try {
      for await (const { object } of kube.watch(tenants, { namespace, resourceVersion, signal }))
        if (object.metadata.name === name) this.versions.push(object);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
