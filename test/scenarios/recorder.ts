import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { tenantPhases } from '../../src/api/tenant.ts';
import type { KubeClient, KubeObject, Resource, WatchEvent } from '../world/kubernetes/client.ts';
import { externalSecrets, instances, secrets, tenants } from '../world/kubernetes/resources.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { phaseOf } from './conditions.ts';
import { splitName, type TenantName } from './tenants.ts';

const watched: readonly Resource[] = [tenants, instances, externalSecrets, secrets];

/** Every version of every object that matters here, in the order in which they were stored. */
export class Recorder {
  readonly #kube: KubeClient;
  readonly #ending = new AbortController();
  readonly #events = new Map<Resource, WatchEvent[]>(watched.map((resource) => [resource, []]));
  #watches: Promise<void>[] = [];

  private constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  static async start(kube: KubeClient): Promise<Recorder> {
    const recorder = new Recorder(kube);
    for (const resource of watched) {
      const { resourceVersion } = await kube.list(resource);
      recorder.#watches.push(recorder.#watch(resource, resourceVersion));
    }
    return recorder;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#watches);
  }

  /** All versions of all objects of a kind. */
  versions(resource: Resource): readonly KubeObject[] {
    return (this.#events.get(resource) ?? []).map(({ object }) => object);
  }

  /** The phases of a Tenant, repetitions left out; the last is 'gone' once it is deleted. */
  async phasesOf(name: TenantName): Promise<string[]> {
    const events = await this.#eventsOf(name);
    const phases = events.map(({ type, object }) => (type === 'DELETED' ? 'gone' : phaseOf(object)));
    const told = phases.filter((phase) => phase !== undefined);
    return told.filter((phase, index) => phase !== told[index - 1]);
  }

  /** Waits for the watch to catch up with what can be read. */
  async #eventsOf(tenantName: TenantName): Promise<WatchEvent[]> {
    const { name, namespace } = splitName(tenantName);
    const newest = (await this.#kube.get(tenants, name, namespace))?.metadata.resourceVersion;
    return waitFor(`the watch to tell of ${tenantName}`, () => {
      const all = this.#events.get(tenants) ?? [];
      const own = all.filter(
        ({ object: { metadata } }) => metadata.name === name && metadata.namespace === namespace,
      );
      const last = own.at(-1);
      const caughtUp =
        newest === undefined
          ? last?.type === 'DELETED'
          : Number(last?.object.metadata.resourceVersion) >= Number(newest);
      return caughtUp ? own : undefined;
    });
  }

  /** A watch that breaks off is taken up where it ended. */
  async #watch(resource: Resource, listed: string): Promise<void> {
    const { signal } = this.#ending;
    let resourceVersion = listed;
    while (!signal.aborted) {
      try {
        for await (const event of this.#kube.watch(resource, { resourceVersion, signal })) {
          // An API server that was restarted does not remember what it sent.
          if (event.type === 'ERROR') {
            resourceVersion = (await this.#kube.list(resource)).resourceVersion;
            break;
          }
          this.#events.get(resource)?.push(event);
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        }
      } catch {
        await sleep(50, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}

/**
 * Every phase once and in order, up to Ready. The two before it announce no step, so that they may be passed in one go
 * where External Secrets was quicker than the next look.
 */
export function assertClimbed(phases: readonly string[]): void {
  const passed = ['ExternalSecretCreated', 'CredentialProjected'];
  const expected = tenantPhases.filter((phase) => phases.includes(phase) || !passed.includes(phase));
  assert.deepEqual(phases, expected);
}
