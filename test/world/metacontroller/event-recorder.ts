import type { KubeClient, KubeObject } from '../kubernetes/client.ts';
import { events } from '../kubernetes/resources.ts';

/** As client-go filters: a burst of 25 for each object, then one in five minutes. */
const burst = 25;
const intervalMs = 300_000;

/** Writes Event objects, without anybody waiting for them. An Event that says the same again raises the `count` of the first. */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #budget = new Map<string, number>();
  readonly #written = new Map<string, { name: string; count: number }>();
  readonly #pending = new Set<Promise<unknown>>();
  #serial = 0;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  record(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (!this.#allowed(about)) return;
    // Like the real recorder, it gives up on an Event that cannot be written.
    const writing = this.#write(about, { type, reason, message }).catch(() => undefined);
    this.#pending.add(writing);
    void writing.finally(() => this.#pending.delete(writing));
  }

  async flush(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #allowed({ kind, metadata }: KubeObject): boolean {
    const key = `${kind}/${metadata.uid ?? metadata.name}`;
    const now = Date.now();
    const spent = Math.max(this.#budget.get(key) ?? 0, now - burst * intervalMs) + intervalMs;
    if (spent > now) return false;
    this.#budget.set(key, spent);
    return true;
  }

  async #write(about: KubeObject, event: { type: string; reason: string; message: string }): Promise<void> {
    const { uid, name } = about.metadata;
    const namespace = about.metadata.namespace ?? 'default';
    const key = JSON.stringify([about.kind, uid ?? name, event]);
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const earlier = this.#written.get(key);
    if (earlier !== undefined) {
      earlier.count += 1;
      await this.#client.patch(events, earlier.name, namespace, { count: earlier.count, lastTimestamp: now });
      return;
    }
    this.#serial += 1;
    const eventName = `${name}.${Date.now().toString(16)}${this.#serial.toString(16)}`;
    this.#written.set(key, { name: eventName, count: 1 });
    await this.#client.create(events, eventOf(about, { name: eventName, namespace }, event, now));
  }
}

const eventOf = (
  { apiVersion, kind, metadata }: KubeObject,
  named: { name: string; namespace: string },
  event: { type: string; reason: string; message: string },
  now: string,
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: named,
  involvedObject: {
    apiVersion,
    kind,
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  },
  ...event,
  source: { component: 'metacontroller' },
  count: 1,
  firstTimestamp: now,
  lastTimestamp: now,
});
