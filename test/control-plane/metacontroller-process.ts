import type { ApiAccess } from '../world/kubernetes/client.ts';
import type { ApplyStrategy } from '../world/metacontroller/server-side-apply.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import { writeKubeconfig } from './kubeconfig.ts';

/** The path of a real Metacontroller, 4.17.2 or newer; without it its stand-in takes part. */
export const metacontrollerBinary = (): string | undefined => process.env['METACONTROLLER_BIN'];

export interface RunningMetacontroller {
  log(): string;
  /** Ends it as a lost node would, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The real Metacontroller with the rights of `access` and the flags of metacontroller/values.yaml. */
export async function startMetacontrollerProcess(
  file: string,
  folder: string,
  access: ApiAccess,
  strategy: ApplyStrategy,
): Promise<RunningMetacontroller> {
  const [metrics, health] = [await freePort(), await freePort()];
  const kubeconfig = await writeKubeconfig(`${folder}/metacontroller.kubeconfig`, access);
  const args = [
    ...['--kubeconfig', kubeconfig, '--client-go-qps=100', '--client-go-burst=200', '--workers=20'],
    ...[`--metrics-address=127.0.0.1:${metrics}`, `--health-probe-bind-address=127.0.0.1:${health}`],
    ...['--zap-log-level=4', '--discovery-interval=2s', `--apply-strategy=${strategy}`],
  ];
  let earlier = '';
  let run: ServerProcess | undefined;
  const start = async (): Promise<void> => {
    earlier += run?.output() ?? '';
    run = new ServerProcess({ name: 'Metacontroller', file, args, cwd: folder, env: { HOME: folder } });
    await run.ready(() =>
      fetch(`http://127.0.0.1:${health}/readyz`).then(
        (response) => response.ok,
        () => false,
      ),
    );
  };
  await start();
  return {
    log: () => earlier + (run?.output() ?? ''),
    restart: async () => {
      await run?.stop('SIGKILL');
      await start();
    },
    stop: async () => run?.stop('SIGTERM'),
  };
}
