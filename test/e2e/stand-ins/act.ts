import { setTimeout as sleep } from 'node:timers/promises';

import type { KubeObject } from '../../world/kubernetes/client.ts';
import { eventually } from '../../world/metacontroller/eventually.ts';
import type { HookAnswer, HookRequest } from '../../world/metacontroller/trial-hook.ts';
import { thing, things } from '../../world/metacontroller/trial-kinds.ts';
import type { Stage } from './metacontroller-stage.ts';

/** Something that happens to one Thing. Its name is that of the Thing; children are called `<name>.<word>`. */
export interface Act {
  readonly name: string;
  /** Gives what only a clock or a look from outside can tell. */
  run(scene: Scene): Promise<Record<string, unknown> | undefined>;
}

/** Nothing was called for so long: whatever had to come has come. */
const restMs = 1_200;
/** Answers take a moment, so that events of what happened before the call arrive while it lasts, in every run. */
const answerMs = 40;

/** One Thing, and what the hook answers about it. */
export class Scene {
  readonly stage: Stage;
  readonly name: string;
  /** For sync and finalize; the default answer is empty. */
  answer: (request: HookRequest) => HookAnswer | Promise<HookAnswer> = () => ({});
  /** For customize. */
  related: () => HookAnswer = () => ({});
  /** Of this Thing, with the time at which each came. */
  readonly requests: { readonly at: number; readonly request: HookRequest }[] = [];
  /** How many syncs have begun; from 1 while the first is answered. */
  syncs = 0;

  constructor(stage: Stage, name: string) {
    this.stage = stage;
    this.name = name;
  }

  /** Answers calls about its own Thing, and writes them down. */
  async serve(request: HookRequest): Promise<HookAnswer> {
    this.requests.push({ at: Date.now(), request });
    await sleep(answerMs);
    if (request.hook === 'customize') return this.related();
    if (request.hook === 'sync') this.syncs += 1;
    return this.answer(request);
  }

  get kube() {
    return this.stage.kube;
  }

  async create(spec: Record<string, unknown> = {}, metadata: object = {}): Promise<KubeObject> {
    const object = thing(this.name, spec);
    return this.kube.create(things, { ...object, metadata: { ...object.metadata, ...metadata } });
  }

  change(patch: object): Promise<KubeObject> {
    return this.kube.patch(things, this.name, 'team', patch);
  }

  thing(): Promise<KubeObject | undefined> {
    return this.kube.get(things, this.name, 'team');
  }

  delete(): Promise<boolean> {
    return this.kube.delete(things, this.name, 'team');
  }

  /** Waits for so many syncs. */
  async called(times: number): Promise<void> {
    await eventually(() => {
      if (this.syncs < times) throw new Error(`${this.name} was synced ${this.syncs} times only`);
    }, 20_000);
  }

  /** Waits for the first call when there was none, and then until none came for a while. */
  async rest(): Promise<void> {
    const began = Date.now();
    await eventually(() => {
      if (this.requests.length === 0) throw new Error(`no call about ${this.name} has come`);
    }, 20_000);
    await eventually(() => {
      const last = Math.max(began, this.requests.at(-1)?.at ?? 0);
      if (Date.now() - last < restMs) throw new Error(`calls about ${this.name} go on and on`);
    }, 20_000);
  }

  async gone(): Promise<void> {
    await eventually(async () => {
      if ((await this.thing()) !== undefined) throw new Error(`${this.name} is still there`);
    }, 20_000);
  }

  /** Leaves nothing that Metacontroller could still be busy with. */
  async end(): Promise<void> {
    this.related = () => ({});
    this.answer = () => ({ body: { finalized: true } });
    if ((await this.thing()) === undefined) return;
    await this.change({ metadata: { finalizers: null } });
    await this.delete();
    await this.gone();
  }
}
