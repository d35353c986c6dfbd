import { setTimeout as sleep } from 'node:timers/promises';

import { readExternalSecret } from '../../world/external-secrets/external-secret.ts';
import { externalSecret } from '../../world/external-secrets/trial.ts';
import type { KubeObject } from '../../world/kubernetes/client.ts';
import { externalSecrets, secrets } from '../../world/kubernetes/resources.ts';
import { waitFor } from '../../world/servers/wait-for.ts';
import type { Stage } from './external-secrets-stage.ts';
import { writesAbout } from './writes.ts';

/** Something that happens to one ExternalSecret, whose name is that of the act. */
export interface Act {
  readonly name: string;
  run(scene: Projection): Promise<undefined>;
}

/** So long nothing more may happen before it counts as settled. */
const restMs = 1_200;

/** One ExternalSecret and what can be seen of it, at each point that the act names. */
export class Projection {
  readonly stage: Stage;
  readonly name: string;
  readonly seen: Record<string, unknown> = {};

  constructor(stage: Stage, name: string) {
    this.stage = stage;
    this.name = name;
  }

  get path(): string {
    return `one/${this.name}`;
  }

  write(data: Record<string, string>, cas: number): Promise<number> {
    return this.stage.kv.write(this.path, data, cas);
  }

  /** With a template, as the product has it; `spec` changes it. */
  create(spec: object = {}, metadata: object = {}): Promise<KubeObject> {
    return this.stage.kube.create(
      externalSecrets,
      externalSecret(this.name, { target: this.target(), ...spec }, metadata),
    );
  }

  target(more: object = {}): object {
    const template = {
      ...{ engineVersion: 'v2', mergePolicy: 'Merge', type: 'servicebinding.io/postgresql' },
      metadata: { labels: { made: 'here' }, annotations: { noted: 'here' } },
      data: { host: 'db.example.org', login: '{{ .user }}' },
    };
    return { name: this.name, creationPolicy: 'Owner', deletionPolicy: 'Retain', template, ...more };
  }

  change(patch: object): Promise<KubeObject> {
    return this.stage.kube.patch(externalSecrets, this.name, 'team', patch);
  }

  changeSecret(patch: object): Promise<KubeObject> {
    return this.stage.kube.patch(secrets, this.name, 'team', patch);
  }

  object(): Promise<KubeObject | undefined> {
    return this.stage.kube.get(externalSecrets, this.name, 'team');
  }

  secret(name = this.name): Promise<KubeObject | undefined> {
    return this.stage.kube.get(secrets, name, 'team');
  }

  /** What External Secrets wrote of it, in their order, so far. */
  writes(): string[] {
    // Which of its writes meets a conflict, and is done again, is up to chance.
    return writesAbout(this.stage, this.name, ({ code }) => code !== 409);
  }

  /** Waits for a sync of the newest generation, or a failure, and notes what there is then. */
  async settled(point: string, reason: string): Promise<void> {
    await waitFor(`${this.name} to be ${reason}`, () => this.#is(reason), { timeoutMs: 30_000 });
    await this.note(point);
  }

  /** Waits until nothing more happens, and notes what there is. */
  async note(point: string): Promise<void> {
    await sleep(restMs);
    const object = await this.object();
    this.seen[point] = { status: object?.status, secret: withoutManagers(await this.secret()) };
  }

  async untilSecret(what: string, is: (secret: KubeObject | undefined) => boolean): Promise<void> {
    await waitFor(what, async () => is(await this.secret()), { timeoutMs: 30_000 });
  }

  async #is(reason: string): Promise<boolean> {
    const object = await this.object();
    if (object === undefined) return false;
    const { conditions, syncedResourceVersion = '' } = readExternalSecret(object).status;
    const ready = conditions.find(({ type }) => type === 'Ready');
    const isNewest = syncedResourceVersion.startsWith(`${object.metadata.generation ?? 0}-`);
    return ready?.reason === reason && (ready.status === 'False' || isNewest);
  }
}

/** External Secrets names itself after each ExternalSecret there; nobody reads it. */
const withoutManagers = (secret: KubeObject | undefined): unknown =>
  secret === undefined
    ? undefined
    : { ...secret, metadata: { ...secret.metadata, managedFields: undefined } };
