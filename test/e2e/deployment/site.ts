import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { type Kubelet, startKubelet } from '../../control-plane/kubelet/kubelet.ts';
import { startServiceProxy } from '../../control-plane/kubelet/service-proxy.ts';
import { release } from '../../control-plane/operator-release.ts';
import { runProgram } from '../../control-plane/run-program.ts';
import { accessOf } from '../../control-plane/service-account.ts';
import type { Image } from '../../image/image.ts';
import { programPath } from '../../programs/programs.ts';
import { namespaces, serviceAccounts } from '../../world/kubernetes/resources.ts';
import { openBaoBinary } from '../../world/servers/openbao-binary.ts';
import { type OpenBao, startOpenBao } from '../../world/servers/openbao.ts';
import { issueCertificate, setUpPki } from '../../world/servers/pki.ts';
import { type Postgres, startPostgres } from '../../world/servers/postgres.ts';
import { closable, type AtEnd } from '../../world/servers/closable.ts';
import { temporaryFolder } from '../../world/servers/temporary-folder.ts';
import { dockerWithRegistry } from './docker.ts';
import { helmWithForeignCharts } from './foreign-charts.ts';
import { psqlOn } from './psql.ts';
import { startStandIns } from './stand-ins.ts';
import { type Substitution, substitute, substitutionsFor } from './substitutions.ts';
import { Terminal } from './terminal.ts';
import { startTlsFront } from './tls-front.ts';

/** What an administrator has before the page begins, and a terminal. */
export interface Site {
  readonly plane: ControlPlane;
  readonly openBao: OpenBao;
  readonly postgres: Postgres;
  readonly kubelet: Kubelet;
  readonly terminal: Terminal;
  /** A block as it is to be typed here. */
  readonly here: (block: string) => string;
  /** Substitutions that nothing has called for. */
  readonly unused: () => readonly Substitution[];
  /** What the cluster and its Pods say about themselves. */
  readonly diagnosis: () => Promise<string>;
  close(): Promise<void>;
}

const pgHost = 'pg-main.example.com';
const openBaoHosts = ['openbao-active.openbao', 'openbao.example.com'];
/** What a checkout has, as far as the page goes. */
const checkout = ['charts', 'crds', 'docs', 'examples', 'metacontroller', 'Dockerfile'];

/** @throws Error when a part cannot be started; what was started is ended again */
export const startSite = (): Promise<Site> => closable(build);

async function build(atEnd: AtEnd): Promise<Omit<Site, 'close'>> {
  const root = await temporaryFolder('site');
  atEnd(() => rm(root, { recursive: true, force: true }));
  const folders = { repository: join(root, 'repository'), bin: join(root, 'bin'), home: join(root, 'home') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const servers = await startServers(folders.repository, atEnd);
  const plane = await startControlPlane();
  atEnd(() => plane.close());
  const { docker, pushed } = dockerWithRegistry();
  const { kubelet, hook } = await startNode(plane, pushed, atEnd);
  const table = substitutionsFor({
    ...{ openBao: servers.front, kubernetes: plane.api.url, hook, postgresPort: servers.postgres.port },
    ...{ kubernetesCaFile: plane.api.certificateFile, reviewerTokenFile: await reviewerToken(plane, root) },
  });
  const used = new Set<Substitution>();
  await checkOut(folders.repository, (text) => substitute(text, table, used));
  const { postgres, openBao } = servers;
  const standIns = await startStandIns(folders.bin, {
    docker,
    psql: psqlOn({
      ...{ host: pgHost, port: postgres.port },
      passwords: { [postgres.superuser.name]: postgres.superuser.password },
    }),
    helm: helmWithForeignCharts({ plane, atEnd }),
  });
  atEnd(() => standIns.close());
  await symlink(await programPath('kubectl'), join(folders.bin, 'kubectl'));
  await symlink(await openBaoBinary(), join(folders.bin, 'bao'));
  const terminal = new Terminal({
    ...{ cwd: folders.repository, folder: root },
    env: {
      ...{ PATH: `${folders.bin}:/usr/bin:/bin`, HOME: folders.home, LC_ALL: 'C', TZ: 'UTC' },
      ...{ KUBECONFIG: plane.kubeconfig, BAO_TOKEN: openBao.rootToken, STAND_INS_URL: standIns.url },
    },
  });
  return {
    ...{ plane, openBao, postgres, kubelet, terminal },
    here: (block) => substitute(block, table, used),
    unused: () => table.filter((one) => !used.has(one)),
    diagnosis: async () => `${await describe(plane)}\nThe Pods:\n${kubelet.log().slice(-4_000)}`,
  };
}

/** OpenBao behind TLS, and PostgreSQL: as they come, with nothing of the product, and the files with their CA. */
async function startServers(folder: string, atEnd: AtEnd) {
  const openBao = await startOpenBao({ mode: 'dev' });
  atEnd(() => openBao.close());
  const { ca } = await setUpPki(openBao, { commonName: 'Example internal CA' });
  const certificate = (names: readonly string[]) =>
    issueCertificate(openBao, { commonName: names[0] ?? '', dnsNames: names, ipAddresses: ['127.0.0.1'] });
  const front = await startTlsFront(openBao.url, await certificate(openBaoHosts));
  atEnd(() => front.close());
  const postgres = await startPostgres({ tls: await certificate([pgHost]) });
  atEnd(() => postgres.close());
  for (const name of ['openbao-ca.crt', 'postgres-ca.crt']) await writeFile(join(folder, name), ca);
  return { openBao, postgres, front: front.url };
}

async function startNode(plane: ControlPlane, images: ReadonlyMap<string, Image>, atEnd: AtEnd) {
  const overrides: Record<string, string> = { KUBERNETES_URL: plane.api.url };
  const kubelet = startKubelet({ kube: plane.kube, image: (name) => images.get(name), overrides });
  atEnd(() => kubelet.close());
  const proxyOf = async (port: 'hook' | 'metrics'): Promise<number> => {
    const proxy = await startServiceProxy({ kube: plane.kube, kubelet, port, ...release });
    atEnd(() => proxy.close());
    return proxy.port;
  };
  // Where the Pod of `helm test` would look by the name of the Service.
  overrides['READY_URL'] = `http://127.0.0.1:${await proxyOf('metrics')}/readyz`;
  return { kubelet, hook: `https://127.0.0.1:${await proxyOf('hook')}` };
}

async function describe({ kubeconfig }: ControlPlane): Promise<string> {
  const kinds = ['events', 'clustersecretstores', 'externalsecrets', 'pgi', 'pgt', 'pods'];
  const columns = '{range .items[*]}{.kind} {.metadata.name} {.message} {.status.conditions}{"\\n"}{end}';
  const texts = kinds.map(async (kind) => {
    const args = ['get', kind, '--all-namespaces', '-o', `jsonpath=${columns}`];
    const { stdout, stderr } = await runProgram('kubectl', args, { env: { KUBECONFIG: kubeconfig } });
    return stdout + stderr;
  });
  return (await Promise.all(texts)).join('');
}

/** OpenBao's own installation has made its ServiceAccount; its Pod would have this token. */
async function reviewerToken(plane: ControlPlane, folder: string): Promise<string> {
  const account = { namespace: 'openbao', name: 'openbao' };
  const metadata = { name: account.namespace };
  await plane.kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
  await plane.kube.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const { token = '' } = await accessOf(plane.kube, plane.admin, account);
  const file = join(folder, 'reviewer-token');
  await writeFile(file, token, { mode: 0o600 });
  return file;
}

/** The files that the page needs, with the addresses of this machine in those that an administrator looks through. */
async function checkOut(folder: string, here: (text: string) => string): Promise<void> {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  for (const name of checkout) await cp(join(repository, name), join(folder, name), { recursive: true });
  for (const name of ['examples/install', 'metacontroller'])
    for (const entry of await readdir(join(folder, name), { withFileTypes: true })) {
      const file = join(folder, name, entry.name);
      if (entry.isFile() && file.endsWith('.yaml')) await writeFile(file, here(await readFile(file, 'utf8')));
    }
}
