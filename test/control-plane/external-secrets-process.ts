import { programPath } from '../programs/programs.ts';
import type { ApiAccess } from '../world/kubernetes/client.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import { writeKubeconfig } from './kubeconfig.ts';

export interface ExternalSecretsProcess {
  log(): string;
  stop(): Promise<void>;
}

/** The real External Secrets with the rights of `access`; it looks at its stores every 5 s. */
export async function startExternalSecretsProcess(
  folder: string,
  access: ApiAccess,
): Promise<ExternalSecretsProcess> {
  const run = new ServerProcess({
    name: 'External Secrets',
    file: await programPath('external-secrets'),
    args: [
      ...['--metrics-addr', `127.0.0.1:${await freePort()}`, '--live-addr', `127.0.0.1:${await freePort()}`],
      ...[
        '--enable-cluster-external-secret-reconciler=false',
        '--enable-cluster-push-secret-reconciler=false',
      ],
      ...['--enable-push-secret-reconciler=false', '--store-requeue-interval=5s', '--concurrent=4'],
    ],
    cwd: folder,
    env: { HOME: folder, KUBECONFIG: await writeKubeconfig(`${folder}/external-secrets.kubeconfig`, access) },
  });
  return { log: () => run.output(), stop: () => run.stop('SIGKILL') };
}
