import { programPath } from '../programs/programs.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';

export interface RunningServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** etcd on loopback, its data in `folder`; it does not wait for the disk. */
export async function startEtcd(folder: string): Promise<RunningServer> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const run = new ServerProcess({
    name: 'etcd',
    file: await programPath('etcd'),
    args: [
      ...['--data-dir', `${folder}/etcd`, '--unsafe-no-fsync'],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `default=${peers}`, '--log-level', 'error'],
    ],
    cwd: folder,
  });
  await run.ready(() => answers(`${url}/readyz`));
  // Nothing in it is needed afterwards.
  return { url, close: () => run.stop('SIGKILL') };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );
