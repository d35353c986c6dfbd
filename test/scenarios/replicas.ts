import type { HookProcess } from '../world/hook-process.ts';
import { closable } from '../world/servers/closable.ts';
import type { WorldOptions } from '../world/world.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { raise, type Stage } from './stage.ts';

/** A stage on which two replicas of the operator answer behind one address. */
export interface Replicas {
  readonly stage: Stage;
  readonly second: HookProcess;
  readonly balancer: Balancer;
  close(): Promise<void>;
}

/** @throws Error when a part cannot be started; what was started is ended again */
export const raiseReplicas = (options: WorldOptions = {}): Promise<Replicas> =>
  closable(async (atEnd) => {
    const stage = await raise(options);
    atEnd(() => stage.close());
    const { world } = stage;
    const { hook, hookAccess } = world;
    const second = await world.startReplica();
    const balancer = await startBalancer([hook.url, second.url], hookAccess.certificate);
    atEnd(() => balancer.close());
    await world.callHookAt(balancer.url);
    return { stage, second, balancer };
  });
