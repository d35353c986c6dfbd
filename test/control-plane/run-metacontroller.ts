import type { ApiAccess } from '../world/kubernetes/client.ts';
import { startRestartable } from '../world/metacontroller/restartable.ts';
import type { ApplyStrategy } from '../world/metacontroller/server-side-apply.ts';
import {
  metacontrollerBinary,
  type RunningMetacontroller,
  startMetacontrollerProcess,
} from './metacontroller-process.ts';

/**
 * Metacontroller, the real one where its binary is given; the stand-in has no log. `access`: whose rights it has.
 */
export async function runMetacontroller(
  folder: string,
  access: ApiAccess,
  strategy: ApplyStrategy = 'dynamic-apply',
): Promise<RunningMetacontroller> {
  const binary = metacontrollerBinary();
  if (binary !== undefined) return startMetacontrollerProcess(binary, folder, access, strategy);
  const standIn = await startRestartable({
    ...{ api: access, applyStrategy: strategy, workers: 20, maxBackoffMs: 2_000 },
  });
  return { restart: () => standIn.restart(), stop: () => standIn.stop(), log: () => '' };
}
