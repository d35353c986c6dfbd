import type { KubeClient } from '../world/kubernetes/client.ts';
import { secrets } from '../world/kubernetes/resources.ts';
import { applyAll } from '../world/manifests-in.ts';
import type { HookCall } from '../world/metacontroller/hooks.ts';
import { managementSecret } from '../world/platform-objects.ts';
import { startWorld, type World, type WorldOptions } from '../world/world.ts';
import { Recorder } from './recorder.ts';
import { instance, untilInstanceReady } from './instances.ts';
import { assertStoredAsAnswered } from './stored-statuses.ts';

/** A world with an Instance that is Ready, and a record of everything that is to be seen in it. */
export interface Stage {
  readonly world: World;
  readonly kube: KubeClient;
  readonly recorder: Recorder;
  /** Every hook call since the start, in the order in which they ended. */
  readonly calls: readonly HookCall[];
  close(): Promise<void>;
}

/** The operator looks often here, so that no scenario has to wait long. */
const impatient = {
  CHECK_INTERVAL_SECONDS_MIN: '1',
  CHECK_INTERVAL_SECONDS_MAX: '2',
  RESYNC_SECONDS: '1',
  LOG_LEVEL: 'trace',
};

export async function raise(options: WorldOptions = {}): Promise<Stage> {
  const calls: HookCall[] = [];
  const world = await startWorld({
    ...options,
    env: { ...impatient, ...options.env },
    // Autovacuum writes by itself, and the log shows what statements held.
    postgres: { autovacuum: 'off', log_statement: 'mod', ...options.postgres },
    onCall: (call) => {
      calls.push(call);
      options.onCall?.(call);
    },
  });
  let recorder: Recorder | undefined;
  try {
    recorder = await Recorder.start(world.kube);
    await world.kube.create(secrets, managementSecret(world.management));
    const { adminRole, managementDatabase } = world.management;
    const main = instance('pg-main', world.postgres.port, { adminRole, managementDatabase });
    await applyAll(world.kube, [main]);
    await untilInstanceReady(world.kube, 'pg-main');
    const seen = { world, kube: world.kube, recorder, calls };
    const close = (): Promise<void> =>
      seen.recorder
        .stop()
        .then(() => assertStoredAsAnswered(seen))
        .finally(() => world.close());
    return { ...seen, close };
  } catch (error) {
    await recorder?.stop();
    await world.close();
    throw error;
  }
}
