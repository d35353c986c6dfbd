import { isDeepStrictEqual } from 'node:util';

import { type ApiAccess, KubeClient } from '../kubernetes/client.ts';
import { compositeControllers } from '../kubernetes/resources.ts';
import { atMost } from './at-most.ts';
import { ControllerLoop, type ControllerProcess, StatusSubresourceMissing } from './controller-loop.ts';
import { Discovery } from './discovery.ts';
import { EventRecorder } from './event-recorder.ts';
import { FaultInjector, type Faults } from './faults.ts';
import type { HookCall } from './hooks.ts';
import { Informer } from './informer.ts';
import { Informers } from './informers.ts';
import { type ApplyStrategy, ServerSideApply } from './server-side-apply.ts';
import { WorkQueue } from './work-queue.ts';

/** So many calls are kept; older ones are forgotten. */
const keptCalls = 3_000;
/** A stop does not wait longer for an API server that does not answer. */
const stopMs = 1_000;
/** By its first part the API server names the manager of what it writes. */
const userAgent = 'metacontroller/stand-in';

export interface MetacontrollerOptions {
  api: ApiAccess;
  /** For each CompositeController; default 5, as the flag `--workers`. */
  workers?: number;
  /** Upper bound of the wait between two tries; the real one's is 1000 s. */
  maxBackoffMs?: number;
  /** Default dynamic apply. Server-side apply needs a real API server: the stand-in knows no apply patches. */
  applyStrategy?: ApplyStrategy;
  faults?: Partial<Faults>;
  onCall?: (call: HookCall) => void;
}

export interface Metacontroller {
  /** The newest hook calls, in the order in which they ended. */
  readonly calls: HookCall[];
  readonly faults: Faults;
  /** What would have crashed the real process. */
  readonly panics: string[];
  /** Ends within some seconds; hook calls under way are aborted. Throws when there were panics. */
  stop(): Promise<void>;
}

/**
 * A stand-in for Metacontroller 4.17: runs the CompositeControllers that it finds in the API server, starts and stops
 * them as they come, change and go. It models hooks of version v2 and generated selectors.
 */
export const startMetacontroller = (options: MetacontrollerOptions): Promise<Metacontroller> => {
  const calls: HookCall[] = [];
  const panics: string[] = [];
  const faults = new FaultInjector(options.faults);
  const client = new KubeClient({ userAgent, ...options.api });
  const supervisor = new Supervisor({
    client,
    discovery: new Discovery(client),
    informers: new Informers(client),
    events: new EventRecorder(client),
    faults,
    serverSideApply: options.applyStrategy === 'server-side-apply' ? new ServerSideApply(client) : undefined,
    workers: options.workers ?? 5,
    maxBackoffMs: options.maxBackoffMs ?? 1_000_000,
    onCall: (call) => {
      calls.push(call);
      if (calls.length > keptCalls) calls.splice(0, calls.length - keptCalls);
      options.onCall?.(call);
    },
    onPanic: (panic) => panics.push(panic.message),
  });
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    if (panics.length > 0) throw new Error(`Metacontroller would have crashed: ${panics.join('; ')}`);
  };
  return Promise.resolve({ calls, faults: faults.faults, panics, stop });
};

/** Keeps one running loop for each CompositeController, with its newest spec. */
class Supervisor {
  readonly #process: ControllerProcess;
  readonly #controllers: Informer;
  readonly #queue: WorkQueue;
  readonly #loops = new Map<string, ControllerLoop>();
  #stopped = false;

  constructor(process: ControllerProcess) {
    this.#process = process;
    this.#controllers = new Informer(process.client, {
      resource: compositeControllers,
      apiVersion: `${compositeControllers.group}/${compositeControllers.version}`,
      kind: 'CompositeController',
      namespaced: false,
      hasStatus: true,
    });
    const { maxBackoffMs } = process;
    this.#queue = new WorkQueue({ workers: 1, maxBackoffMs, work: (name) => this.#reconcile(name) });
    this.#queue.start();
    this.#controllers.subscribe((previous, current) => {
      this.#queue.add((current ?? previous)?.metadata.name ?? '');
      return Promise.resolve();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#controllers.stop();
    await atMost(stopMs, this.#queue.shutDown());
    await Promise.all([...this.#loops.keys()].map((name) => this.#stopLoop(name)));
    await atMost(stopMs, this.#process.events.flush());
  }

  async #reconcile(name: string): Promise<void> {
    const controller = this.#controllers.get(name);
    const running = this.#loops.get(name);
    if (running !== undefined && isDeepStrictEqual(running.controller.spec, controller?.spec)) return;
    if (running !== undefined) {
      await this.#stopLoop(name);
      this.#process.events.record(running.controller, 'Normal', 'Stopped', `Stopped controller: ${name}`);
    }
    if (controller === undefined) return;
    try {
      const loop = await ControllerLoop.start(this.#process, controller);
      this.#loops.set(name, loop);
      if (this.#stopped) await this.#stopLoop(name);
      this.#queue.forget(name);
      this.#process.events.record(controller, 'Normal', 'Started', `Started controller: ${name}`);
    } catch (error) {
      const ignored = error instanceof StatusSubresourceMissing;
      if (!ignored) this.#queue.addRateLimited(name);
      const reason = ignored ? 'SyncError' : 'CreateError';
      this.#process.events.record(
        controller,
        'Warning',
        reason,
        `Cannot create new controller: ${String(error)}`,
      );
    }
  }

  async #stopLoop(name: string): Promise<void> {
    const loop = this.#loops.get(name);
    this.#loops.delete(name);
    await loop?.stop();
  }
}
