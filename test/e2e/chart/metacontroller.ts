import {
  metacontrollerBinary,
  startMetacontrollerProcess,
} from '../../control-plane/metacontroller-process.ts';
import type { ApplyStrategy } from '../../world/metacontroller/server-side-apply.ts';
import type { ApiAccess } from '../../world/kubernetes/client.ts';
import { type Metacontroller, startMetacontroller } from '../../world/metacontroller/metacontroller.ts';

/** Metacontroller, the real one where its binary is given. */
export interface RunningMetacontroller {
  /** Empty for the stand-in. */
  log(): string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param access whose rights it has */
export const runMetacontroller = async (
  folder: string,
  access: ApiAccess,
  strategy: ApplyStrategy = 'dynamic-apply',
): Promise<RunningMetacontroller> => {
  const binary = metacontrollerBinary();
  return binary === undefined ? standIn(access, strategy) : realOne(binary, folder, access, strategy);
};

async function realOne(
  binary: string,
  folder: string,
  access: ApiAccess,
  strategy: ApplyStrategy,
): Promise<RunningMetacontroller> {
  const running = await startMetacontrollerProcess(binary, folder, access, strategy);
  const restart = async (): Promise<void> => {
    await running.kill();
    await running.start();
  };
  return { restart, log: () => running.log(), stop: () => running.stop() };
}

async function standIn(api: ApiAccess, applyStrategy: ApplyStrategy): Promise<RunningMetacontroller> {
  const start = (): Promise<Metacontroller> =>
    startMetacontroller({ api, applyStrategy, workers: 20, maxBackoffMs: 2_000 });
  let running = await start();
  const restart = async (): Promise<void> => {
    await running.stop();
    running = await start();
  };
  return { restart, log: () => '', stop: () => running.stop() };
}
