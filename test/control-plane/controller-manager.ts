import { Agent, get } from 'node:https';

import { programPath } from '../programs/programs.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import type { RunningServer } from './etcd.ts';
import type { KubeApiserver } from './kube-apiserver.ts';
import { writeKubeconfig } from './kubeconfig.ts';

/** What the product meets in every cluster; there are no nodes, so nothing is scheduled. */
const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'clusterrole-aggregation-controller',
  'root-ca-certificate-publisher-controller',
  'deployment-controller',
  'replicaset-controller',
  'disruption-controller',
];

export async function startControllerManager(
  folder: string,
  api: KubeApiserver,
): Promise<Pick<RunningServer, 'close'>> {
  const port = await freePort();
  const access = { url: api.url, ca: api.ca, token: api.controllerManagerToken };
  const run = new ServerProcess({
    name: 'kube-controller-manager',
    file: await programPath('kube-controller-manager'),
    args: [
      ...['--kubeconfig', await writeKubeconfig(`${folder}/controller-manager.kubeconfig`, access)],
      ...['--service-account-private-key-file', api.signingKeyFile, '--root-ca-file', api.certificateFile],
      ...[
        '--use-service-account-credentials',
        '--leader-elect=false',
        '--cert-dir',
        `${folder}/controller-manager`,
      ],
      ...[
        '--bind-address',
        '127.0.0.1',
        '--secure-port',
        String(port),
        '--controllers',
        controllers.join(','),
      ],
    ],
    cwd: folder,
  });
  // Its certificate is one that it makes itself; nobody else is asked.
  const agent = new Agent({ rejectUnauthorized: false });
  await run.ready(() => isHealthy(`https://127.0.0.1:${port}/healthz`, agent), 60_000);
  agent.destroy();
  return { close: () => run.stop('SIGKILL') };
}

const isHealthy = (url: string, agent: Agent): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, { agent }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).once('error', () => resolve(false));
  });
