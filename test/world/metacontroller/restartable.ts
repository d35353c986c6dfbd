import { type Metacontroller, type MetacontrollerOptions, startMetacontroller } from './metacontroller.ts';

export interface RestartableMetacontroller extends Pick<Metacontroller, 'faults' | 'stop'> {
  /** Ends it and starts it anew: what it remembered is lost. */
  restart(): Promise<void>;
}

/** The stand-in, which can be started again with the same options. */
export async function startRestartable(options: MetacontrollerOptions): Promise<RestartableMetacontroller> {
  let running = await startMetacontroller(options);
  return {
    get faults() {
      return running.faults;
    },
    stop: () => running.stop(),
    restart: async () => {
      await running.stop();
      running = await startMetacontroller(options);
    },
  };
}
