import { programPath } from '../programs/programs.ts';
import type { ApiAccess } from '../world/kubernetes/client.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import { writeKubeconfig } from './kubeconfig.ts';

export interface ExternalSecretsProcess {
  log(): string;
  /** Ends it as a lost node would, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The real External Secrets with the rights of `access`; it looks at its stores every 5 s. */
export async function startExternalSecretsProcess(
  folder: string,
  access: ApiAccess,
): Promise<ExternalSecretsProcess> {
  const metrics = `127.0.0.1:${await freePort()}`;
  const command = {
    name: 'External Secrets',
    file: await programPath('external-secrets'),
    args: [
      ...['--metrics-addr', metrics],
      ...[
        '--enable-cluster-external-secret-reconciler=false',
        '--enable-cluster-push-secret-reconciler=false',
      ],
      ...['--enable-push-secret-reconciler=false', '--store-requeue-interval=5s', '--concurrent=4'],
    ],
    cwd: folder,
    env: { HOME: folder, KUBECONFIG: await writeKubeconfig(`${folder}/external-secrets.kubeconfig`, access) },
  };
  let run = new ServerProcess(command);
  const ready = (): Promise<void> =>
    run.ready(() =>
      fetch(`http://${metrics}/metrics`).then(
        (response) => response.ok,
        () => false,
      ),
    );
  await ready();
  return {
    log: () => run.output(),
    restart: async () => {
      await run.stop('SIGKILL');
      run = new ServerProcess(command);
      await ready();
    },
    stop: () => run.stop('SIGKILL'),
  };
}
