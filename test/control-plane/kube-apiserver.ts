import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

import { programPath } from '../programs/programs.ts';
import { KubeClient } from '../world/kubernetes/client.ts';
import { namespaces } from '../world/kubernetes/resources.ts';
import { freePort } from '../world/servers/free-port.ts';
import { ServerProcess } from '../world/servers/server-process.ts';
import { auditPolicy as writesOnly } from './audit-log.ts';
import type { RunningServer } from './etcd.ts';

export interface KubeApiserver extends RunningServer {
  /** PEM of what signed its certificate; the chain that it presents, with its key, is in these files. */
  readonly ca: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Cluster admin. */
  readonly adminToken: string;
  readonly controllerManagerToken: string;
  /** Signs the tokens of service accounts. */
  readonly signingKeyFile: string;
  readonly auditFile: string;
  /** Ends it as a lost node would, and starts it again on the same port. */
  restart(): Promise<void>;
}

export interface KubeApiserverOptions {
  /** What is written down; by default writes only. */
  readonly auditPolicy?: object;
  /** Further flags. */
  readonly flags?: readonly string[];
}

/**
 * kube-apiserver on loopback with RBAC, TokenRequest and its default admission (service accounts, Pod Security). Tokens
 * for `openbao` are reviewed like its own. @throws Error with the end of its log
 */
export async function startKubeApiserver(
  folder: string,
  etcd: RunningServer,
  { auditPolicy = writesOnly, flags = [] }: KubeApiserverOptions = {},
): Promise<KubeApiserver> {
  const port = await freePort();
  const [adminToken, controllerManagerToken] = [
    randomBytes(16).toString('hex'),
    randomBytes(16).toString('hex'),
  ];
  const files = await writeFiles(folder, { adminToken, controllerManagerToken }, auditPolicy);
  const command = {
    name: 'kube-apiserver',
    file: await programPath('kube-apiserver'),
    args: [
      ...['--etcd-servers', etcd.url, '--secure-port', String(port)],
      ...[
        '--bind-address',
        '127.0.0.1',
        '--advertise-address',
        '127.0.0.1',
        '--endpoint-reconciler-type',
        'none',
      ],
      ...['--cert-dir', folder, '--token-auth-file', files.tokens, '--authorization-mode', 'RBAC'],
      ...[
        '--service-account-key-file',
        files.signingKey,
        '--service-account-signing-key-file',
        files.signingKey,
      ],
      ...['--service-account-issuer', 'https://kubernetes.default.svc'],
      ...['--api-audiences', 'https://kubernetes.default.svc,openbao'],
      ...['--service-cluster-ip-range', '10.0.0.0/24'],
      ...[
        '--audit-policy-file',
        files.auditPolicy,
        '--audit-log-path',
        files.audit,
        '--audit-log-mode',
        'blocking-strict',
      ],
      ...flags,
    ],
    cwd: folder,
  };
  const url = `https://127.0.0.1:${port}`;
  const certificateFile = `${folder}/apiserver.crt`;
  let run = new ServerProcess(command);
  const ready = (): Promise<void> =>
    run.ready(() => isReady({ url, token: adminToken, certificateFile }), 60_000);
  await ready();
  return {
    ...{
      url,
      ca: await readFile(certificateFile, 'utf8'),
      certificateFile,
      keyFile: `${folder}/apiserver.key`,
    },
    ...{ adminToken, controllerManagerToken, signingKeyFile: files.signingKey, auditFile: files.audit },
    restart: async () => {
      await run.stop('SIGKILL');
      run = new ServerProcess(command);
      await ready();
    },
    close: () => run.stop('SIGKILL'),
  };
}

async function writeFiles(
  folder: string,
  tokens: { adminToken: string; controllerManagerToken: string },
  auditPolicy: object,
) {
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(`${folder}/${name}`, text, { mode: 0o600 });
    return `${folder}/${name}`;
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    tokens: await file(
      'tokens.csv',
      `${tokens.adminToken},admin,admin,"system:masters"\n${tokens.controllerManagerToken},system:kube-controller-manager,kcm,\n`,
    ),
    signingKey: await file(
      'service-accounts.key',
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ),
    auditPolicy: await file('audit-policy.json', JSON.stringify(auditPolicy)),
    audit: await file('audit.log', ''),
  };
}

/** `/readyz` comes before the namespace `default` does. */
async function isReady(server: { url: string; token: string; certificateFile: string }): Promise<boolean> {
  const ca = await readFile(server.certificateFile, 'utf8').catch(() => undefined);
  if (ca === undefined) return false;
  const kube = new KubeClient({ url: server.url, token: server.token, ca });
  return kube.get(namespaces, 'default').then(
    (found) => found !== undefined,
    () => false,
  );
}
