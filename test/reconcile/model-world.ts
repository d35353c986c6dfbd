import type { Act, Context } from '../../src/reconcile/context.ts';
import type { ServerTarget } from '../../src/reconcile/ports.ts';
import { SessionMemory } from '../../src/reconcile/session-memory.ts';
import { Gate, isWrite } from './gate.ts';
import { modelKubernetes } from './model-kubernetes.ts';
import { modelOpenBao } from './model-openbao.ts';
import { modelObservation, modelRegistry } from './model-postgres.ts';
import { installation, newState, type ModelState } from './model-state.ts';
import { ModelWrites } from './model-writes.ts';

export const resyncSeconds = 300;
export const checkSeconds = { min: 600, max: 3600 };

/** All ports over one state, behind one gate. A new `ModelWorld` over the same state is a restarted replica. */
export class ModelWorld {
  readonly state: ModelState;
  readonly gate = new Gate();
  readonly context: Context;
  readonly acts: Act[] = [];
  readonly letGo: string[] = [];
  /** Every target that a server was asked for with. */
  readonly targets: ServerTarget[] = [];
  /** UIDs of the Instances whose connections were given up. */
  readonly forgotten: string[] = [];
  /** False: External Secrets is down, and no Secret is written. */
  externalSecretsRuns = true;

  constructor(state: ModelState = newState()) {
    this.state = state;
    const now = () => this.state.now;
    this.context = {
      kubernetes: this.gate.watch('kubernetes', modelKubernetes(state)),
      credentials: this.gate.watch('credentials', modelOpenBao(state), ['url']),
      servers: { of: (target) => this.#serverOf(target), forget: (uid) => this.forgotten.push(uid) },
      sessions: new SessionMemory({
        minSeconds: checkSeconds.min,
        maxSeconds: checkSeconds.max,
        now,
        random: () => 0.5,
      }),
      settings: {
        installation,
        store: { kind: 'ClusterSecretStore', name: 'openbao' },
        defaultCa: 'default CA',
        resyncSeconds,
      },
      clock: { now },
      log: {
        acted: (act) => this.acts.push(act),
        letGo: ({ subject }, message) => this.letGo.push(`${subject}: ${message}`),
      },
    };
  }

  #serverOf(target: ServerTarget) {
    this.targets.push(target);
    return {
      observe: this.gate.watch('observe', modelObservation(this.state, target)),
      registry: this.gate.watch('registry', modelRegistry(this.state, target)),
      tenants: this.gate.watch('tenants', new ModelWrites(this.state, target)),
    };
  }

  /** Another replica, or this one after a restart: the same world, nothing remembered. */
  restarted(): ModelWorld {
    return new ModelWorld(this.state);
  }

  /** A world of its own that begins as this one is now. */
  fork(): ModelWorld {
    return new ModelWorld(structuredClone(this.state));
  }

  advance(seconds: number): void {
    this.state.now += Math.ceil(seconds * 1000);
  }

  /** Names of the writing calls, from the given number of calls on. */
  writesSince(calls: number): string[] {
    return this.gate.calls.slice(calls).filter(isWrite);
  }
}
